
// Renders the matrix: only the rows that are visible are in the document. Texts are only ever set as text.
(() => {
  "use strict";
  const ROW = 28;
  const MARGIN = 10;
  const data = JSON.parse(document.getElementById("bench-data").textContent);
  const columns = data.variants.length;
  const find = (id) => document.getElementById(id);
  const grid = find("matrix");
  const map = find("matrix-map");
  const panel = find("matrix-runs");
  const body = create("div", "matrix-body", { role: "rowgroup" });
  const rows = new Map();
  const cells = data.runs.map(countRuns);
  let order = [];
  let active = null;

  function create(tag, css, attributes, text) {
    const element = document.createElement(tag);
    if (css) element.className = css;
    for (const [name, value] of Object.entries(attributes ?? {})) element.setAttribute(name, value);
    if (text !== undefined) element.textContent = text;
    return element;
  }

  function countRuns(runs) {
    const count = { passed: 0, judged: 0, broken: 0, rate: null };
    for (const [outcome] of runs) {
      const name = data.outcomes[outcome];
      if (name === "passed") count.passed += 1;
      if (name !== "not_judged") count.judged += 1;
      if (name === "error" || name === "timeout") count.broken += 1;
    }
    if (count.judged) count.rate = count.passed / count.judged;
    return count;
  }

  const cellsOf = (scenario) => cells.slice(scenario * columns, (scenario + 1) * columns);
  const ratesOf = (scenario) => cellsOf(scenario).flatMap((cell) => (cell.rate === null ? [] : [cell.rate]));

  const summaries = data.scenarios.map((_, scenario) => {
    const rates = ratesOf(scenario);
    const mean = rates.length ? rates.reduce((sum, rate) => sum + rate, 0) / rates.length : 2;
    const low = Math.min(...rates);
    const high = Math.max(...rates);
    return { mean, high, spread: rates.length ? high - low : -1, broken: cellsOf(scenario).some((cell) => cell.broken) };
  });

  const FILTERS = {
    all: () => true,
    failed: (summary) => summary.mean < 1,
    never: (summary) => summary.high === 0,
    differ: (summary) => summary.spread > 0,
    broken: (summary) => summary.broken,
  };
  const ORDERS = {
    name: (one, other) => one - other,
    lowest: (one, other) => summaries[one].mean - summaries[other].mean || one - other,
    spread: (one, other) => summaries[other].spread - summaries[one].spread || one - other,
  };

  function matchText(text) {
    if (!text) return () => true;
    const has = (value) => value.toLowerCase().includes(text);
    const tags = data.tags.map(has);
    const reasons = data.reasons.map(has);
    return (scenario) =>
      has(data.scenarios[scenario]) ||
      data.scenarioTags[scenario].some((tag) => tags[tag]) ||
      data.runs.slice(scenario * columns, (scenario + 1) * columns).some((runs) => runs.some((run) => reasons[run[9]]));
  }

  function update() {
    const matches = matchText(find("matrix-find").value.trim().toLowerCase());
    const accepts = FILTERS[find("matrix-filter").value];
    order = data.scenarios.map((_, scenario) => scenario);
    order = order.filter((scenario) => accepts(summaries[scenario]) && matches(scenario));
    order.sort(ORDERS[find("matrix-order").value]);
    const all = data.scenarios.length.toLocaleString("en");
    find("matrix-count").textContent =
      order.length === data.scenarios.length ? `${all} scenarios` : `${order.length.toLocaleString("en")} of ${all} scenarios`;
    grid.setAttribute("aria-rowcount", String(order.length + 1));
    body.style.height = `${order.length * ROW}px`;
    for (const row of rows.values()) row.remove();
    rows.clear();
    grid.scrollTop = 0;
    render();
    drawMap();
  }

  function render() {
    const first = Math.max(0, Math.floor(grid.scrollTop / ROW) - MARGIN);
    const last = Math.min(order.length, Math.ceil((grid.scrollTop + grid.clientHeight) / ROW) + MARGIN);
    for (const [index, row] of rows) {
      if (index < first || index >= last) {
        row.remove();
        rows.delete(index);
      }
    }
    for (let index = first; index < last; index += 1) {
      if (!rows.has(index)) {
        const row = makeRow(index);
        rows.set(index, row);
        body.append(row);
      }
    }
    markActive();
  }

  function makeRow(index) {
    const scenario = order[index];
    const row = create("div", "matrix-row", { role: "row", "aria-rowindex": String(index + 2) });
    row.style.top = `${index * ROW}px`;
    const name = data.scenarios[scenario];
    row.append(create("div", "name", { role: "rowheader", title: name }, name));
    for (let column = 0; column < columns; column += 1) row.append(makeCell(index, scenario, column));
    return row;
  }

  function makeCell(index, scenario, column) {
    const count = cells[scenario * columns + column];
    const runs = data.runs[scenario * columns + column];
    const cell = create("div", `cell ${heatOf(count)}`, { role: "gridcell", id: `cell-${index}-${column}` });
    cell.dataset.index = String(index);
    cell.dataset.column = String(column);
    if (!runs.length) {
      cell.className = "cell empty";
      cell.textContent = "·";
      cell.title = "no run";
      return cell;
    }
    cell.textContent = count.judged ? `${count.passed}/${count.judged}` : "not judged";
    cell.title = `${data.variants[column]}: ${count.passed} of ${count.judged} passed`;
    if (count.broken) {
      cell.append(create("span", "broken", { "aria-label": "with errors" }, "!"));
      cell.title += `, ${count.broken} of them errors or timeouts`.replace("of them ", "");
    }
    return cell;
  }

  const heatOf = (count) => (count.rate === null ? "heat-none" : `heat-${bucketOf(count.rate)}`);
  // The two ends are only for scenarios that always or never passed.
  const bucketOf = (rate) => (rate === 0 ? 0 : rate === 1 ? 4 : rate < 0.34 ? 1 : rate < 0.67 ? 2 : 3);

  function choose(index, column) {
    if (index < 0 || index >= order.length) return;
    active = { scenario: order[index], index, column: Math.max(0, Math.min(columns - 1, column)) };
    const top = index * ROW;
    const head = 29;
    if (top < grid.scrollTop) grid.scrollTop = top;
    else if (top + ROW + head > grid.scrollTop + grid.clientHeight) grid.scrollTop = top + ROW + head - grid.clientHeight;
    render();
    showRuns();
  }

  function markActive() {
    for (const cell of body.querySelectorAll('[aria-selected="true"]')) cell.removeAttribute("aria-selected");
    grid.removeAttribute("aria-activedescendant");
    if (!active || order[active.index] !== active.scenario) return;
    const cell = find(`cell-${active.index}-${active.column}`);
    if (!cell) return;
    cell.setAttribute("aria-selected", "true");
    grid.setAttribute("aria-activedescendant", cell.id);
  }

  const plural = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

  function showRuns() {
    const { scenario, column } = active;
    const name = create("h3", "", {}, data.scenarios[scenario]);
    const variant = create("p", "quiet", {}, data.variants[column]);
    const tags = create("div");
    for (const tag of data.scenarioTags[scenario]) tags.append(create("span", "tag", {}, data.tags[tag]));
    const runs = data.runs[scenario * columns + column];
    panel.replaceChildren(name, variant, tags, ...runs.map(makeRun));
    if (!runs.length) panel.append(create("p", "quiet", {}, "This agent has no finished run of the scenario."));
    panel.scrollTop = 0;
  }

  function makeRun(run) {
    const [outcome, seed, number, input, output, modelCalls, toolCalls, simulated, wall, reason, link] = run;
    const section = create("section", "run");
    const head = create("div", "run-head");
    const kind = data.outcomes[outcome];
    head.append(create("span", `badge outcome-${kind}`, {}, kind.replace("_", " ")));
    head.append(create("span", "", {}, `run ${number}, seed ${seed}`));
    if (link) head.append(create("a", "", { href: link }, "Open the run"));
    const tokens = `${input.toLocaleString("en")} + ${output.toLocaleString("en")} tokens`;
    const calls = `${plural(modelCalls, "model call")}, ${plural(toolCalls, "tool call")}`;
    const times = `${simulated} s simulated, ${wall} s wall`;
    section.append(head);
    if (data.reasons[reason]) section.append(create("p", "", {}, data.reasons[reason]));
    section.append(create("p", "facts", {}, `${tokens}, ${calls}\n${times}`));
    return section;
  }

  function drawMap() {
    const scale = window.devicePixelRatio || 1;
    const width = map.clientWidth;
    const height = map.clientHeight;
    map.width = width * scale;
    map.height = height * scale;
    const context = map.getContext("2d");
    context.scale(scale, scale);
    const style = getComputedStyle(document.documentElement);
    const colours = [0, 1, 2, 3, 4].map((each) => style.getPropertyValue(`--heat-${each}`));
    const step = Math.min(6, height / Math.max(1, order.length));
    const slot = width / Math.max(1, columns);
    order.forEach((scenario, index) => {
      for (let column = 0; column < columns; column += 1) {
        const { rate } = cells[scenario * columns + column];
        if (rate === null) continue;
        context.fillStyle = colours[bucketOf(rate)];
        context.fillRect(column * slot, index * step, slot - (slot > 6 ? 1 : 0), Math.max(step, 0.5));
      }
    });
    const shown = Math.min(order.length, grid.clientHeight / ROW);
    context.strokeStyle = style.getPropertyValue("--fg");
    context.strokeRect(0.5, (grid.scrollTop / ROW) * step + 0.5, width - 1, Math.max(3, shown * step - 1));
  }

  function scrollToMap(event) {
    const step = Math.min(6, map.clientHeight / Math.max(1, order.length));
    grid.scrollTop = (event.offsetY / step) * ROW - grid.clientHeight / 2;
  }

  function handleKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(grid.clientHeight / ROW) - 2);
    const { index, column } = active && order[active.index] === active.scenario ? active : { index: -1, column: 0 };
    const targets = {
      ArrowDown: [index + 1, column],
      ArrowUp: [index - 1, column],
      ArrowLeft: [index, column - 1],
      ArrowRight: [index, column + 1],
      PageDown: [Math.min(order.length - 1, index + page), column],
      PageUp: [Math.max(0, index - page), column],
      Home: [0, column],
      End: [order.length - 1, column],
    };
    if (!(event.key in targets)) return;
    event.preventDefault();
    choose(...targets[event.key]);
  }

  function start() {
    grid.style.setProperty("--columns", String(columns));
    grid.parentElement.style.setProperty("--rows", String(data.scenarios.length));
    const head = create("div", "matrix-row matrix-head", { role: "row", "aria-rowindex": "1" });
    head.append(create("div", "corner", { role: "columnheader" }, "Scenario"));
    for (const name of data.variants) head.append(create("div", "column", { role: "columnheader", title: name }, name));
    grid.append(head, body);
    grid.setAttribute("aria-colcount", String(columns + 1));
    panel.append(create("p", "quiet", {}, "Choose a cell to see its runs."));
    find("matrix-toolbar").hidden = false;
    for (const id of ["matrix-find", "matrix-filter", "matrix-order"]) find(id).addEventListener("input", update);
    let scheduled = false;
    grid.addEventListener("scroll", () => {
      if (scheduled) return;
      scheduled = true;
      requestAnimationFrame(() => {
        scheduled = false;
        render();
        drawMap();
      });
    });
    body.addEventListener("click", (event) => {
      const cell = event.target.closest(".cell");
      if (cell) choose(Number(cell.dataset.index), Number(cell.dataset.column));
    });
    grid.addEventListener("keydown", handleKey);
    map.addEventListener("pointerdown", scrollToMap);
    map.addEventListener("pointermove", (event) => event.buttons === 1 && scrollToMap(event));
    new ResizeObserver(() => {
      render();
      drawMap();
    }).observe(grid);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawMap);
    update();
  }

  start();
})();
