/** Upstream's chunking of documents; lengths are characters, as Python counts them. */

const endings = /([.!?。！？]+)/;
/** The characters that Python's `strip` removes. */
const blank = String.raw`\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`;
const edges = new RegExp(`^[${blank}]+|[${blank}]+$`, 'g');

/**
 * @param size at most so many characters, where a sentence or paragraph is not longer by itself; 0 or less: one chunk
 * @param splitBy `sentence`, `paragraph` or `character`; anything else is `sentence`
 */
export function chunksOf(text: string, size: number, splitBy: string): readonly string[] {
  if (size <= 0) return [text];
  if (splitBy === 'character') return slices(text, size);
  if (splitBy === 'paragraph') return packed(paragraphs(text), size, '\n\n');
  return packed(sentences(text), size, ' ');
}

export function strip(text: string): string {
  return text.replace(edges, '');
}

/** Each with the marks that end it. */
function sentences(text: string): readonly string[] {
  const parts = text.split(endings);
  return parts.flatMap((part, at) => {
    const sentence = at % 2 === 0 ? strip(part) + (parts[at + 1] ?? '') : '';
    return sentence === '' ? [] : [sentence];
  });
}

function paragraphs(text: string): readonly string[] {
  return text
    .split('\n\n')
    .map(strip)
    .filter((paragraph) => paragraph !== '');
}

/** The joints do not count. */
function packed(parts: readonly string[], size: number, joint: string): readonly string[] {
  const chunks: string[] = [];
  let current: string[] = [];
  let length = 0;
  for (const part of parts) {
    const own = lengthOf(part);
    if (length + own > size && current.length > 0) {
      chunks.push(current.join(joint));
      current = [];
      length = 0;
    }
    current.push(part);
    length += own;
  }
  return current.length > 0 ? [...chunks, current.join(joint)] : chunks;
}

function slices(text: string, size: number): readonly string[] {
  const characters = Array.from(text);
  const chunks: string[] = [];
  for (let at = 0; at < characters.length; at += size) {
    const chunk = characters.slice(at, at + size).join('');
    if (strip(chunk) !== '') chunks.push(chunk);
  }
  return chunks;
}

function lengthOf(text: string): number {
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const pair = /[\ud800-\udbff]/.test(text[at] ?? '') && /[\udc00-\udfff]/.test(text[at + 1] ?? '');
    if (pair) at += 1;
    length += 1;
  }
  return length;
}
