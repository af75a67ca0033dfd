/** Texts that somebody broke, or made to break us, and whole ones that are as long. */
import { madeConfig } from './configSamples.mjs';

const head = 'ajet:\n  rollout:\n    num_repeat: 4\n';

/** `{ name, text }`. What they do grows with their length, so that each is measured beside a whole one as long. */
export const corruptSamples = [
  { name: 'aliases', text: aliases(60_000) },
  { name: 'aliases-short', text: aliases(4_000) },
  { name: 'brackets', text: `${head}  deep: ${'[{a: '.repeat(12_000)}\n` },
  { name: 'nesting', text: nesting(340) },
  { name: 'long-line', text: `${head}  line: "${'long \\n '.repeat(140_000)}\n` },
  { name: 'duplicates', text: `${head}${rows(4_000, () => '  data: {a: 1}')}` },
  { name: 'unknown-keys', text: `${head}${rows(4_000, (index) => `  ta_reader${index}: x`)}` },
  {
    name: 'interpolations',
    text: `${head}${rows(2_000, (index) => `  k${index}: \${ajet.k${index + 1}}x`)}`,
  },
  { name: 'open-interpolations', text: `${head}${rows(90, () => `  open: ${'${a.b:${c '.repeat(5)}`)}` },
  { name: 'tabs', text: `${head}${rows(4_000, () => '\t\tdata: 1')}` },
  { name: 'cut-in-two', text: cut(madeConfig(1_500)) },
];

/** A whole config of about that length. */
export function cleanConfig(length) {
  const lines = Math.ceil(length / (madeConfig(3_000).length / 3_000));
  return madeConfig(Math.max(lines, 10));
}

function rows(count, row) {
  return Array.from({ length: count }, (_, index) => `${row(index)}\n`).join('');
}

/** Each level brings in the one before nine times. */
function aliases(length) {
  const levels = rows(30, (level) => {
    const below =
      level === 0
        ? '{x: 1, y: 2}'
        : `[${Array(9)
            .fill(`*a${level - 1}`)
            .join(', ')}]`;
    return `  a${level}: &a${level} ${below}`;
  });
  const text = `${head}${levels}  all:\n`;
  return `${text}${rows(Math.max(0, Math.floor((length - text.length) / 12)), () => '    - *a29')}`;
}

function nesting(depth) {
  return `ajet:\n${rows(depth, (level) => `${' '.repeat(level + 1)}k:`)}`;
}

/** Every third line that is indented has lost its end. */
function cut(text) {
  const halved = (line) => line.slice(0, Math.ceil(line.length / 2));
  return text
    .split('\n')
    .map((line, index) => (index % 3 === 0 && line.startsWith(' ') ? halved(line) : line))
    .join('\n');
}
