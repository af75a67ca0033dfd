/** Places that a line of a run's log names. */
import { entryOf, type Node } from '../../config/node.ts';

export interface LogLink {
  /** In the line; UTF-16 code units. */
  readonly start: number;
  readonly end: number;
  readonly target:
    | {
        readonly kind: 'file';
        /** Inside the folder that was sent. */
        readonly path: string;
        /** 1-based. */
        readonly line: number;
      }
    | { readonly kind: 'key'; readonly path: readonly string[] };
}

/** Lines that are longer are data. */
const longest = 5_000;
const places = [
  /File "([^"\n]{1,1024})", line (\d{1,7})/g,
  /((?:[\w.@+-]*\/)+[\w.@+-]+\.\w{1,5}):(\d{1,7})\b/g,
];
const key = /[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+/g;
const mark = /\b(?:error|missing|mandatory|invalid|unknown|unsupported|deprecated|key|config|assert)/i;

/**
 * @param config the root of the run's config; undefined: keys are not looked for
 * @param isSent whether a path is that of a file that was sent
 */
export function logLinks(
  line: string,
  run: string,
  config: Node | undefined,
  isSent: (path: string) => boolean,
): readonly LogLink[] {
  if (line.length > longest) return [];
  const links: LogLink[] = [];
  for (const place of places) {
    for (const match of line.matchAll(place)) {
      const path = sentPath(match[1] ?? '', run, isSent);
      if (path === undefined) continue;
      const target = { kind: 'file', path, line: Number(match[2]) } as const;
      links.push({ start: match.index, end: match.index + match[0].length, target });
    }
  }
  if (!mark.test(line)) return links;
  for (const match of line.matchAll(key)) {
    const [start, end] = [match.index, match.index + match[0].length];
    if (links.some((link) => link.start < end && start < link.end)) continue;
    const path = keyIn(config, match[0]);
    if (path !== undefined) links.push({ start, end, target: { kind: 'key', path } });
  }
  return links;
}

/** On the host the code of a run is in `runs/ID/code`; other paths may be relative to it. */
function sentPath(path: string, run: string, isSent: (path: string) => boolean): string | undefined {
  const at = path.indexOf(`/${run}/code/`);
  const inside = at >= 0 ? path.slice(at + run.length + 7) : path.replace(/^\.\//, '');
  return !inside.startsWith('/') && isSent(inside) ? inside : undefined;
}

/** Keys are told from the root, or from one of its mappings (`trainer.total_steps` for `trinity.trainer.total_steps`). */
function keyIn(config: Node | undefined, text: string): readonly string[] | undefined {
  const steps = text.split('.');
  if (config?.kind !== 'mapping') return undefined;
  const starts = [[], ...config.entries.map((entry) => [entry.key])];
  for (const start of starts) {
    const path = [...start, ...steps];
    let node: Node | undefined = config;
    for (const step of path) node = entryOf(node, step)?.value;
    if (node !== undefined) return path;
  }
  return undefined;
}
