// biome-ignore-all lint/a11y/useSemanticElements: a table cannot leave out the rows that are not visible
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus, and names its active cell
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from "react";
import { type BenchState, type Cell, getCell, getPassRateClass } from "./benchMatrix";

const ROW = 28;
const MARGIN = 10;

interface Place {
  scenario: number;
  variant: number;
}

/** The matrix; only the rows that are visible are in the document. */
export function MatrixGrid({
  state,
  chosen,
  onChoose,
}: {
  state: BenchState;
  chosen: Place | null;
  onChoose: (place: Place) => void;
}) {
  const grid = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const { scenarios, variants } = state.info;
  useLayoutEffect(() => {
    grid.current?.style.setProperty("--columns", String(variants.length));
  }, [variants.length]);
  useEffect(() => {
    const element = grid.current;
    if (!element) return;
    const update = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(update);
    observer.observe(element);
    element.addEventListener("scroll", update, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", update);
    };
  }, []);
  const first = Math.max(0, Math.floor(view.top / ROW) - MARGIN);
  const last = Math.min(scenarios.length, Math.ceil((view.top + view.height) / ROW) + MARGIN);
  const choose = (scenario: number, variant: number) => {
    if (scenario < 0 || scenario >= scenarios.length || variant < 0 || variant >= variants.length) return;
    const element = grid.current;
    if (element) {
      const top = scenario * ROW;
      if (top < element.scrollTop) element.scrollTop = top;
      else if (top + 2 * ROW > element.scrollTop + element.clientHeight) {
        element.scrollTop = top + 2 * ROW - element.clientHeight;
      }
    }
    onChoose({ scenario, variant });
  };
  const handleKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { scenario, variant } = chosen ?? { scenario: -1, variant: 0 };
    const targets: Record<string, [number, number]> = {
      ArrowDown: [scenario + 1, variant],
      ArrowUp: [scenario - 1, variant],
      ArrowLeft: [scenario, variant - 1],
      ArrowRight: [scenario, variant + 1],
      Home: [0, variant],
      End: [scenarios.length - 1, variant],
    };
    const target = targets[event.key];
    if (!target) return;
    event.preventDefault();
    choose(...target);
  };
  const rows = [];
  for (let scenario = first; scenario < last; scenario += 1) {
    rows.push(
      <div
        key={scenario}
        className="bn-row"
        role="row"
        aria-rowindex={scenario + 2}
        ref={(element) => element?.style.setProperty("--top", `${scenario * ROW}px`)}
      >
        <div className="bn-name" role="rowheader" title={scenarios[scenario]}>
          {scenarios[scenario]}
        </div>
        {variants.map(({ label: name }, variant) => {
          const isChosen = chosen?.scenario === scenario && chosen.variant === variant;
          const cell = getCell(state, scenario, variant);
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the grid has the focus, and handles the keys
            <div
              key={name}
              id={`bench-cell-${scenario}-${variant}`}
              role="gridcell"
              aria-selected={isChosen}
              className={`bn-cell ${cell ? getPassRateClass(cell) : ""}`}
              onClick={() => choose(scenario, variant)}
            >
              {cell ? <CellText cell={cell} /> : <span className="quiet">·</span>}
            </div>
          );
        })}
      </div>,
    );
  }
  return (
    <div
      ref={grid}
      className="bn-grid scroll"
      role="grid"
      tabIndex={0}
      aria-label="Runs that passed"
      aria-rowcount={scenarios.length + 1}
      aria-colcount={variants.length + 1}
      aria-activedescendant={chosen ? `bench-cell-${chosen.scenario}-${chosen.variant}` : undefined}
      onKeyDown={handleKey}
    >
      <div className="bn-row bn-head" role="row" aria-rowindex={1}>
        <div className="bn-name" role="columnheader">
          Scenario
        </div>
        {variants.map(({ label: name }) => (
          <div key={name} className="bn-column" role="columnheader" title={name}>
            {name}
          </div>
        ))}
      </div>
      <div
        className="bn-body"
        role="rowgroup"
        ref={(element) => element?.style.setProperty("height", `${scenarios.length * ROW}px`)}
      >
        {rows}
      </div>
    </div>
  );
}

function CellText({ cell }: { cell: Cell }) {
  return (
    <>
      {cell.judged ? `${cell.passed}/${cell.judged}` : cell.runs.length ? "not judged" : ""}
      {cell.errored ? (
        <b className="bn-errored" title="with errors">
          !
        </b>
      ) : null}
      {cell.active ? <span className="spinner" role="img" aria-label="running" /> : null}
    </>
  );
}
