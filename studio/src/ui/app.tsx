/** The whole page. */
export function App() {
  return <main>posekit studio</main>;
}
