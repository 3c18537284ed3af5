const longest = 80;

/**
 * The first commands of a sequence as readable lines, cut at 80 characters. Splits at terminators only, so it
 * also shows what the strict parser refuses; bytes that are not printable ASCII appear as \xNN.
 */
export function previewCommands(bytes: Uint8Array, count: number): string[] {
  const lines: string[] = [];
  let line = '';
  let full = false;
  for (let at = 0; at < bytes.length && lines.length < count; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === 0x03 || byte === 0x0d || byte === 0x0a) {
      if (line !== '') lines.push(line);
      line = '';
      full = false;
    } else if (!full) {
      line += byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
      if (line.length > longest) {
        line = `${line.slice(0, longest)}…`;
        full = true;
      }
    }
  }
  if (line !== '' && lines.length < count) lines.push(line);
  return lines;
}
