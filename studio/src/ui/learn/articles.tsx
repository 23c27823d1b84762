//! The articles. What they claim is what the library does; the lock-ups are the published texts' own figures.

import type { ComponentChildren } from "preact";
import type { MethodName, Session } from "../../core/types.ts";
import { Bars, Formula, I, N, O, Over, Row, Sub, Sup, V } from "./math.tsx";
import { publishedAndOurs, setUp } from "./shows.ts";

export interface Article {
  id: MethodName | "lock-up";
  title: string;
  /** One line for the list. */
  line: string;
  body: ComponentChildren;
  shows: { label: string; watch: string; setUp: (session: Session) => void }[];
  source: string;
}

export const ARTICLES: Article[] = [
  {
    id: "lock-up",
    title: "The lock-up",
    line: "Why a straight limb stops the classic methods, and how to escape",
    body: (
      <>
        <p>Take two straight bones and put the target on their line, closer than the tip. Bending the elbow would reach it, but the classic methods never find that pose.</p>
        <p>
          They improve one joint at a time. From a straight limb every such move stays on the line: the last bone folds back by half a turn, and then no
          joint can improve anything on its own. Nothing moves again, and the target is never reached.
        </p>
        <p>
          posekit detects it: an iteration that moves nothing short of the target. A free chain then escapes with the direct solver, which
          bends a straight chain to a fixed side. A chain with axes or limits escapes with least squares from a slightly bent pose: poses where methods lock up are
          saddle points, and any bend leads away from them. The solution says at which iteration it escaped and by which method, and the plot marks it.
        </p>
      </>
    ),
    shows: [
      {
        label: "Figure 2: relaxation locks up",
        watch: "The published iteration stays at figure 2c. Beside it the same method with its escape.",
        setUp: (session) => { setUp(session, { scene: "lock-up-2", runs: publishedAndOurs("relaxation"), title: "Figure 2: relaxation locks up" }); },
      },
      {
        label: "Figure 3: CCD locks up",
        watch: "Step with the arrows below the view: bone 2 folds back, and no rotation of bone 1 improves anything.",
        setUp: (session) => { setUp(session, { scene: "lock-up-3", runs: publishedAndOurs("ccd"), title: "Figure 3: CCD locks up", atStart: true }); },
      },
      {
        label: "The same for FABRIK",
        watch: "Both passes of its iteration stay on the line.",
        setUp: (session) => { setUp(session, { scene: "lock-up-3", runs: publishedAndOurs("fabrik"), title: "FABRIK locks up" }); },
      },
    ],
    source: "R. Juckett: Constraint Relaxation IK in 2D (figure 2) and Cyclic Coordinate Descent in 2D (figure 3), 2009.",
  },
  {
    id: "auto",
    title: "Automatic",
    line: "Chooses the method that fits the problem, and says why",
    body: (
      <>
        <p>
          The choice depends on the problem alone: two free bones have a closed form; a free chain of any length is a small convex problem for the direct solver; CCD is
          the fastest for one target on joints with axes or limits; several goals, directions and levels need least squares. The choice and its reason are shown with the result.
        </p>
        <h3>Its formula</h3>
        <p>None of its own: it runs the closed form for two bones, the direct solver, CCD or least squares. Each has a page of its own.</p>
        <h3>When it gets stuck</h3>
        <p>When the chosen method does; see the page of that method.</p>
      </>
    ),
    shows: [
      { label: "A rope of many bones", watch: "Drag the target: the whole rope bends as little as possible.", setUp: (session) => { setUp(session, { scene: "rope", runs: [{ method: "auto" }], title: "Automatic on a rope" }); } },
      { label: "A standing figure", watch: "Many goals at once: it chooses least squares, and says so.", setUp: (session) => { setUp(session, { scene: "figure", runs: [{ method: "auto" }], title: "Automatic on a figure" }); } },
    ],
    source: "The rules are in docs/methods.md; every solution says which one applied.",
  },
  {
    id: "two-bone",
    title: "Two bones, in closed form",
    line: "Arms and legs: one triangle, no iteration",
    body: (
      <>
        <p>Two bones and the line from root to target make a triangle. Its sides are known, so the law of cosines gives the flexion of the elbow; one swing does the rest.</p>
        <Formula says="cosine of phi equals L squared minus a squared minus b squared, over 2 a b">
          <mi>cos</mi><I name="φ" /><O sign="=" />
          <Over top={<><Sup of={<I name="L" />} to={<N value="2" />} /><O sign="−" /><Sup of={<I name="a" />} to={<N value="2" />} /><O sign="−" /><Sup of={<I name="b" />} to={<N value="2" />} /></>} bottom={<><N value="2" /><I name="a" /><I name="b" /></>} />
        </Formula>
        <p><i>a</i> and <i>b</i> are the lengths of the bones, <i>L</i> is the distance of the target and <i>φ</i> the flexion. There are two solutions, one for each side; the one nearer to the previous pose is chosen, so the elbow stays on its side.</p>
        <h3>When it gets stuck</h3>
        <p>Never. If <i>L</i> is more than <i>a</i> + <i>b</i> or less than their difference there is no triangle: the limb points at the target or away from it, and the solution gives the distance that remains. A straight limb has no side, so it bends to a fixed one.</p>
      </>
    ),
    shows: [
      { label: "A limb in the plane", watch: "Drag the target out of reach and back: the elbow keeps its side.", setUp: (session) => { setUp(session, { scene: "limb-2d", runs: [{ method: "two-bone" }], title: "Two bones" }); } },
      { label: "A thousand of them", watch: "A crowd of limbs, each solved in every frame.", setUp: (session) => { session.openScene("crowd"); } },
    ],
    source: "R. Bridson: Inverse Kinematics and Optimization, 2011, section 2.1. W. Kahan: Miscalculating Area and Angles of a Needle-like Triangle, 2000, for thin triangles.",
  },
  {
    id: "direct",
    title: "Direct, for free chains",
    line: "A chain of any length as one small convex problem",
    body: (
      <>
        <p>
          Swing the whole chain until its tip lies on the line to the target. Of all poses that then reach, take the one whose bones turn the least. With bone directions{" "}
          <b>u</b> before and <b>v</b> after, one common vector <b>μ</b> is enough:
        </p>
        <Formula says="v i equals u i plus mu, divided by its length; the sum of l i times v i equals t">
          <Sub of={<V name="v" />} at={<I name="i" />} /><O sign="=" />
          <Over top={<><Sub of={<V name="u" />} at={<I name="i" />} /><O sign="+" /><V name="μ" /></>} bottom={<Bars><Sub of={<V name="u" />} at={<I name="i" />} /><O sign="+" /><V name="μ" /></Bars>} />
          <mspace width="1em" />
          <munder><O sign="∑" /><I name="i" /></munder><Sub of={<I name="l" />} at={<I name="i" />} /><Sub of={<V name="v" />} at={<I name="i" />} /><O sign="=" /><V name="t" />
        </Formula>
        <p>Finding <b>μ</b> is a convex problem in as many unknowns as the space has dimensions, whatever the number of bones: two or three iterations are enough.</p>
        <h3>When it gets stuck</h3>
        <p>Never: every target within reach is reached, also from a straight chain, which is first bent into an arc to a fixed side. It needs a chain without limits, of balls in space or of hinges in the plane.</p>
      </>
    ),
    shows: [
      { label: "A chain in the plane", watch: "Drag the target: every bone turns as little as possible.", setUp: (session) => { setUp(session, { scene: "chain-2d", runs: [{ method: "direct" }], title: "Direct on a chain" }); } },
      { label: "Beside CCD", watch: "CCD flexes the outer joints most, the direct solver flexes all of them a little.", setUp: (session) => { setUp(session, { scene: "chain-2d", runs: [{ method: "direct" }, { method: "ccd" }], title: "Direct beside CCD" }); } },
    ],
    source: "The derivation is in the library, in the module chain::direct.",
  },
  {
    id: "ccd",
    title: "Cyclic coordinate descent (CCD)",
    line: "Each joint in turn rotates the tip towards the target",
    body: (
      <>
        <p>
          From the last joint inward, each joint rotates the tip as near to the target as this joint alone can: onto the line from the joint to the target. After the
          root the next iteration starts at the tip again.
        </p>
        <Formula says="cosine of alpha equals e minus j dot t minus j, over the product of their lengths">
          <mi>cos</mi><I name="α" /><O sign="=" />
          <Over
            top={<><Row><O sign="(" /><V name="e" /><O sign="−" /><V name="j" /><O sign=")" /></Row><O sign="·" /><Row><O sign="(" /><V name="t" /><O sign="−" /><V name="j" /><O sign=")" /></Row></>}
            bottom={<><Bars><V name="e" /><O sign="−" /><V name="j" /></Bars><Bars><V name="t" /><O sign="−" /><V name="j" /></Bars></>}
          />
        </Formula>
        <p><b>j</b> is the joint, <b>e</b> the tip, <b>t</b> the target and <i>α</i> the angle of rotation. A hinge rotates about its own axis only, and its range clamps the angle.</p>
        <h3>When it gets stuck</h3>
        <p>On a straight limb whose target lies on its line, and at limits that block the best rotation of each joint. The outer joints move the most, so long chains curl at the tip. Near full reach it takes many iterations.</p>
        <p>posekit detects a lock-up and escapes from it; otherwise the method runs to its own end, however slow.</p>
      </>
    ),
    shows: [
      { label: "Step by step, joint by joint", watch: "Shift and . moves one joint: the highlighted bone turns along the arc.", setUp: (session) => { setUp(session, { scene: "chain-2d", runs: [{ method: "ccd" }], title: "CCD step by step", atStart: true }); } },
      { label: "The lock-up of figure 3", watch: "As published, and with the escape.", setUp: (session) => { setUp(session, { scene: "lock-up-3", runs: publishedAndOurs("ccd"), title: "Figure 3: CCD locks up", atStart: true }); } },
      { label: "Hinges and ranges in space", watch: "The joint at its limit is highlighted.", setUp: (session) => { setUp(session, { scene: "arm-ranges", runs: [{ method: "ccd" }], title: "CCD with hinges and ranges" }); } },
    ],
    source: "R. Juckett: Cyclic Coordinate Descent in 2D, 2009. R. Vaillant: Cyclic Coordinate Descent Inverse Kinematics, 2021, after J. Selstad, for hinges and ranges in space.",
  },
  {
    id: "fabrik",
    title: "FABRIK",
    line: "Forward and backward reaching: points move along lines",
    body: (
      <>
        <p>
          It moves points instead of angles. First the tip is placed on the target, and every joint, going inward, moves along its bone to the right distance. Then the root is
          placed back, and the same is repeated going outward.
        </p>
        <Formula says="p i becomes p i plus 1 plus l i times p i minus p i plus 1, over its length">
          <Sub of={<V name="p" />} at={<I name="i" />} /><O sign="←" /><Sub of={<V name="p" />} at={<><I name="i" /><O sign="+" /><N value="1" /></>} /><O sign="+" /><Sub of={<I name="l" />} at={<I name="i" />} />
          <Over
            top={<><Sub of={<V name="p" />} at={<I name="i" />} /><O sign="−" /><Sub of={<V name="p" />} at={<><I name="i" /><O sign="+" /><N value="1" /></>} /></>}
            bottom={<Bars><Sub of={<V name="p" />} at={<I name="i" />} /><O sign="−" /><Sub of={<V name="p" />} at={<><I name="i" /><O sign="+" /><N value="1" /></>} /></Bars>}
          />
        </Formula>
        <p><b>p</b> are the joints and <i>l</i> the lengths of the bones. It works in any dimension, costs little, and its chains look natural.</p>
        <h3>When it gets stuck</h3>
        <p>On a straight chain whose target lies on its line: moving along a line never leaves the line. Limits are enforced in the outward pass, which can undo the progress of the inward pass. Near full reach it takes many iterations.</p>
      </>
    ),
    shows: [
      { label: "Half by half", watch: "Shift and . goes through the inward and the outward pass.", setUp: (session) => { setUp(session, { scene: "chain-2d", runs: [{ method: "fabrik" }], title: "FABRIK half by half", atStart: true }); } },
      { label: "A long rope", watch: "Drag the target, and then the number of segments.", setUp: (session) => { setUp(session, { scene: "rope", runs: [{ method: "fabrik" }], title: "FABRIK on a rope" }); } },
      { label: "The lock-up", watch: "As published, and with the escape.", setUp: (session) => { setUp(session, { scene: "lock-up-3", runs: publishedAndOurs("fabrik"), title: "FABRIK locks up" }); } },
    ],
    source: "A. Aristidou, J. Lasenby: FABRIK: A fast, iterative solver for the Inverse Kinematics problem. Graphical Models 73(5), 2011.",
  },
  {
    id: "relaxation",
    title: "Constraint relaxation",
    line: "Stretch to the target, then let the bones spring back",
    body: (
      <>
        <p>
          The tip is placed on the target, which stretches or compresses the bones. Then the length of one bone after the other is restored by moving its two ends in proportion to their weights. The
          root stays. A pose is fitted to the points at the end.
        </p>
        <Formula says="u equals l minus d, times v over d; b 1 becomes b 1 minus u times w 1 over w 1 plus w 2; b 2 becomes b 2 plus u times w 2 over w 1 plus w 2">
          <mtable>
            <mtr><mtd><V name="u" /><O sign="=" /><Row><O sign="(" /><I name="l" /><O sign="−" /><I name="d" /><O sign=")" /></Row><Over top={<V name="v" />} bottom={<I name="d" />} /></mtd></mtr>
            <mtr><mtd>
              <Sub of={<V name="b" />} at={<N value="1" />} /><O sign="←" /><Sub of={<V name="b" />} at={<N value="1" />} /><O sign="−" /><V name="u" />
              <Over top={<Sub of={<I name="w" />} at={<N value="1" />} />} bottom={<><Sub of={<I name="w" />} at={<N value="1" />} /><O sign="+" /><Sub of={<I name="w" />} at={<N value="2" />} /></>} />
            </mtd></mtr>
            <mtr><mtd>
              <Sub of={<V name="b" />} at={<N value="2" />} /><O sign="←" /><Sub of={<V name="b" />} at={<N value="2" />} /><O sign="+" /><V name="u" />
              <Over top={<Sub of={<I name="w" />} at={<N value="2" />} />} bottom={<><Sub of={<I name="w" />} at={<N value="1" />} /><O sign="+" /><Sub of={<I name="w" />} at={<N value="2" />} /></>} />
            </mtd></mtr>
          </mtable>
        </Formula>
        <p><b>v</b> goes from one end to the other, <i>d</i> is its length, <i>l</i> the length that it should have, and <i>w</i> the weight of each end. It works in any dimension.</p>
        <h3>When it gets stuck</h3>
        <p>On a straight limb, like figure 2: every move stays on the line. And after one pass some lengths are still wrong, so the fitted pose misses the target; more passes in each iteration reduce this.</p>
      </>
    ),
    shows: [
      { label: "Bone by bone", watch: "Shift and . brings one bone after the other to its length. The relaxed points are drawn over the pose that is fitted to them.", setUp: (session) => { setUp(session, { scene: "chain-2d", runs: [{ method: "relaxation" }], title: "Relaxation bone by bone", atStart: true }); } },
      { label: "The lock-up of figure 2", watch: "As published, and with the escape.", setUp: (session) => { setUp(session, { scene: "lock-up-2", runs: publishedAndOurs("relaxation"), title: "Figure 2: relaxation locks up" }); } },
      { label: "A rope with weights", watch: "Change the weights in the settings: joints of more weight move more.", setUp: (session) => { setUp(session, { scene: "rope", runs: [{ method: "relaxation" }], title: "Relaxation on a rope" }); } },
    ],
    source: "R. Juckett: Constraint Relaxation IK in 2D, 2009.",
  },
  {
    id: "least-squares",
    title: "Least squares",
    line: "Many goals at once, at the limits and beyond reach",
    body: (
      <>
        <p>
          All goals are solved together: the Jacobian <b>J</b> maps a small change of the joints to the change of the residuals <b>e</b>. A step is the change that removes them
          best, with a damping <i>λ</i> that keeps it finite where the figure is stretched out.
        </p>
        <Formula says="minimise the square of J delta q minus e plus lambda squared times the square of delta q">
          <munder><mi>min</mi><Row><I name="Δ" /><V name="q" /></Row></munder>
          <Sup of={<Bars><V name="J" /><I name="Δ" /><V name="q" /><O sign="−" /><V name="e" /></Bars>} to={<N value="2" />} /><O sign="+" />
          <Sup of={<I name="λ" />} to={<N value="2" />} /><Sup of={<Bars><I name="Δ" /><V name="q" /></Bars>} to={<N value="2" />} />
        </Formula>
        <p>Steps slide along limits. Goals of level 1 are met first; later levels use the freedom that remains; and of all poses that meet the goals the one with the least change is returned. A joint of higher stiffness changes less.</p>
        <h3>When it gets stuck</h3>
        <p>In a local minimum. It then restarts with the limbs bent differently, one limb after the other. If limits block it, the solution names them and gives the residual that releasing them would save.</p>
      </>
    ),
    shows: [
      { label: "A standing figure", watch: "Drag the hips: feet and hands stay where they are.", setUp: (session) => { setUp(session, { scene: "figure", runs: [{ method: "least-squares" }], title: "Least squares on a figure" }); } },
      { label: "A seven-axis arm", watch: "Turn the tool: the elbow is free, so it moves as little as possible.", setUp: (session) => { setUp(session, { scene: "arm7", runs: [{ method: "least-squares" }], title: "Least squares on a robot" }); } },
      { label: "Against CCD, with ranges", watch: "Compare the two curves below.", setUp: (session) => { setUp(session, { scene: "arm-ranges", runs: [{ method: "least-squares" }, { method: "ccd" }], title: "Least squares beside CCD" }); } },
    ],
    source: "C. W. Wampler: Manipulator inverse kinematic solutions based on vector formulations and damped least-squares methods, 1986. M. K. Transtrum, J. P. Sethna: Improvements to the Levenberg-Marquardt algorithm, 2012.",
  },
];
