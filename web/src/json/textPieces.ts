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
  let piece: TextPiece = { start: 0, end: 0, lineCount: 0 };

  function startPiece(): void {
    if (piece.lineCount > 0) {
      pieces.push(piece);
    }
    piece = { start: piece.end, end: piece.end, lineCount: 0 };
  }

  while (piece.end < text.length) {
    const lineBreak = text.indexOf("\n", piece.end);
    const lineEnd = lineBreak < 0 ? text.length : lineBreak + 1;
    if (piece.lineCount === MAX_PIECE_LINES || lineEnd - piece.start > MAX_PIECE_LENGTH) {
      startPiece();
    }
    while (lineEnd - piece.start > MAX_PIECE_LENGTH) {
      piece.end = cutLine(text, piece.start);
      piece.lineCount = 1;
      startPiece();
    }
    piece.end = lineEnd;
    piece.lineCount += 1;
  }
  startPiece();
  return pieces;
}

/** Where a line that is too long is cut: not between the two halves of a character. */
function cutLine(text: string, start: number): number {
  const end = start + MAX_PIECE_LENGTH;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last < 0xdc00 ? end - 1 : end;
}
