/** Why a paused agent cannot be answered from here, if it cannot. */
export function AnswerProblem({ problem }: { problem: string }) {
  if (!problem) return null;
  return (
    <p className="notice" role="status">
      {problem}
    </p>
  );
}
