/** A text of the server, in which backticks mark code. */
export function CodeText({ text }: { text: string }) {
  return text.split("`").map((part, index) =>
    index % 2 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text keep their order
      <code key={index}>{part}</code>
    ) : (
      part
    ),
  );
}
