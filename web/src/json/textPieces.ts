/** Divides a long text into pieces that are small enough to be laid out one by one. */

export const MAX_PIECE_LENGTH = 4_000;
export const MAX_PIECE_LINES = 50;

export interface TextPiece {
  start: number;
  end: number;
  /** How many lines it begins or continues. */
  lineCount: number;
}

/** The pieces of a text, in order and without gaps. They end at line breaks, except within a very long line. */
export function splitIntoPieces(text: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  let start = 0;
  while (start < text.length) {
    const piece = findPiece(text, start);
    pieces.push(piece);
    start = piece.end;
  }
  return pieces;
}

function findPiece(text: string, start: number): TextPiece {
  let end = start;
  let lineCount = 0;
  while (lineCount < MAX_PIECE_LINES && end < text.length) {
    const lineEnd = findLineEnd(text, end, start + MAX_PIECE_LENGTH);
    if (lineEnd === null) {
      break;
    }
    end = lineEnd;
    lineCount += 1;
  }
  return lineCount > 0 ? { start, end, lineCount } : { start, end: cutLine(text, start), lineCount: 1 };
}

/** Where the line ends, including its line break; null if that is beyond the limit. */
function findLineEnd(text: string, start: number, limit: number): number | null {
  // Without the bound, each piece of a text in one line would be searched to the text's end.
  const lineBreak = text.slice(start, limit).indexOf("\n");
  if (lineBreak >= 0) {
    return start + lineBreak + 1;
  }
  return text.length <= limit ? text.length : null;
}

/** Where a line that is too long is cut: not between the two halves of a character. */
function cutLine(text: string, start: number): number {
  const end = start + MAX_PIECE_LENGTH;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last < 0xdc00 ? end - 1 : end;
}
