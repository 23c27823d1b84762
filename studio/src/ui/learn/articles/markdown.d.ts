declare module "*.md" {
  import type { Article } from "../article.ts";
  const article: Article;
  export default article;
}
