import { type ReactNode, useMemo, useState } from "react";
import { CopyButton } from "../ui/CopyButton";
import { formatSize } from "../ui/format";
import { LongText } from "./LongText";
import { formatNumber, isNumber, type Json, stringify } from "./lossless";
import { CHUNK, findGroupSize, findOpenBranches } from "./openBranches";
import { formatPreview } from "./preview";
import { type RenderMarkdown, TextValue } from "./TextValue";
import { useParsedJson } from "./useParsedJson";
import "./json-tree.css";

interface TreeOptions {
  openLevels: number;
  /** The branches that are expanded at first. */
  open: ReadonlySet<Json>;
  renderMarkdown?: RenderMarkdown | undefined;
}

interface TreeProps {
  value: Json;
  /** How many levels are expanded at first, as far as that is not too much to render. */
  openLevels?: number;
  /** Deeper levels are expanded too, as long as the tree has no more rows than this. */
  fittingRows?: number;
  renderMarkdown?: RenderMarkdown | undefined;
}

/** A JSON value as a collapsible tree; collapsed parts are not rendered. */
export function JsonTree({ value, openLevels = 2, fittingRows = 0, renderMarkdown }: TreeProps) {
  const open = useMemo(() => findOpenBranches([value], 0, openLevels, fittingRows), [value, openLevels, fittingRows]);
  return (
    <div className="jt">
      <TreeNode value={value} depth={0} options={{ openLevels, open, renderMarkdown }} />
    </div>
  );
}

interface TextProps {
  text: string;
  openLevels?: number;
  fittingRows?: number;
  renderMarkdown?: RenderMarkdown | undefined;
}

/** A JSON text as a tree, or as plain text if it cannot be parsed, such as a truncated one. */
export function JsonTextTree({ text, ...rest }: TextProps) {
  const parsed = useParsedJson(text);
  switch (parsed.status) {
    case "reading":
      return (
        <p className="quiet" role="status">
          Reading {formatSize(text.length)}…
        </p>
      );
    case "invalid":
      return <LongText className="jt jt-plain" text={text} />;
    case "parsed":
      return <JsonTree value={parsed.value} {...rest} />;
  }
}

interface NodeProps {
  name?: string | number;
  value: Json;
  depth: number;
  options: TreeOptions;
}

function TreeNode({ name: key, value, depth, options }: NodeProps) {
  const name = typeof key === "string" ? shorten(key) : key;
  const label = name === undefined ? null : <span className="jt-name">{name}</span>;
  if (typeof value === "string") {
    const { openLevels, renderMarkdown } = options;
    const renderJson = (inside: Json) => <JsonTree value={inside} {...{ openLevels, renderMarkdown }} />;
    return <TextValue label={label} name={name} text={value} depth={depth} {...{ renderJson, renderMarkdown }} />;
  }
  if (!(value instanceof Map) && !Array.isArray(value)) {
    return (
      <div className="jt-row">
        {label}
        <span className={isNumber(value) ? "jt-number" : "jt-word"}>
          {isNumber(value) ? shorten(formatNumber(value)) : String(value)}
        </span>
        <CopyButton isPlain label="copy" title={`Copy ${describeName(name)}`} text={() => stringify(value)} />
      </div>
    );
  }
  return <TreeBranch label={label} name={name} value={value} depth={depth} options={options} />;
}

interface BranchProps {
  label: ReactNode;
  name: string | number | undefined;
  value: Json[] | Map<string, Json>;
  depth: number;
  options: TreeOptions;
}

function TreeBranch({ label, name, value, depth, options }: BranchProps) {
  const size = Array.isArray(value) ? value.length : value.size;
  const [open, setOpen] = useState(options.open.has(value));
  const count = Array.isArray(value) ? `[${size}]` : `{${size}}`;
  if (size === 0) {
    return (
      <div className="jt-row">
        {label}
        <span className="jt-quiet">{Array.isArray(value) ? "[]" : "{}"}</span>
      </div>
    );
  }
  return (
    <div className="jt-branch">
      <div className="jt-row">
        <button type="button" className="jt-fold" aria-expanded={open} onClick={() => setOpen(!open)}>
          {label}
          <span className="jt-quiet">{open ? count : formatPreview(value)}</span>
        </button>
        <CopyButton isPlain label="copy" title={`Copy ${describeName(name)}`} text={() => stringify(value, 2)} />
      </div>
      {open ? (
        <div className="jt-inside">
          <TreeRange value={value} from={0} to={size} depth={depth + 1} options={options} />
        </div>
      ) : null}
    </div>
  );
}

interface RangeProps {
  value: Json[] | Map<string, Json>;
  from: number;
  to: number;
  depth: number;
  options: TreeOptions;
}

/** A range of items; more than 100 are grouped by hundreds, more than 10,000 by ten thousands. */
function TreeRange({ value, from, to, depth, options }: RangeProps) {
  const size = findGroupSize(to - from);
  if (size > 1) {
    const starts = Array.from({ length: Math.ceil((to - from) / size) }, (_, index) => from + index * size);
    return starts.map((start) => (
      <TreeChunk
        key={start}
        value={value}
        from={start}
        to={Math.min(to, start + size)}
        depth={depth}
        options={options}
      />
    ));
  }
  return listEntries(value, from, to).map(([step, item]) => (
    <TreeNode key={step} name={step} value={item} depth={depth} options={options} />
  ));
}

function listEntries(value: Json[] | Map<string, Json>, from: number, to: number): [string | number, Json][] {
  return Array.isArray(value)
    ? value.slice(from, to).map((item, index) => [from + index, item])
    : [...value].slice(from, to);
}

function TreeChunk({ value, from, to, depth, options }: RangeProps) {
  const [open, setOpen] = useState(false);
  const openBranches = useMemo(() => {
    const items = open && to - from <= CHUNK ? listEntries(value, from, to).map(([, item]) => item) : [];
    return findOpenBranches(items, depth, options.openLevels);
  }, [open, value, from, to, depth, options.openLevels]);
  return (
    <div className="jt-branch">
      <div className="jt-row">
        <button type="button" className="jt-fold" aria-expanded={open} onClick={() => setOpen(!open)}>
          <span className="jt-quiet">
            {from} … {to - 1}
          </span>
        </button>
      </div>
      {open ? (
        <div className="jt-inside">
          <TreeRange value={value} from={from} to={to} depth={depth} options={{ ...options, open: openBranches }} />
        </div>
      ) : null}
    </div>
  );
}

const MAX_WORD_LENGTH = 400;

/** A key or a number as far as it is shown; copying takes all of it. */
function shorten(word: string): string {
  return word.length <= MAX_WORD_LENGTH ? word : `${word.slice(0, MAX_WORD_LENGTH)}…`;
}

function describeName(name: string | number | undefined): string {
  return name === undefined ? "all of it" : String(name);
}
