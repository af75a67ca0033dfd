/** Places that a line of a run's log names. */
import type { KeyTable } from '../../../configs/core/key-tables/keyTable.ts';
import { entryOf, nodeAt, type MappingNode, type Node } from '../../../configs/core/node.ts';
import { isSlipOf } from '../../../configs/core/rules/suggest.ts';

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
    /** Of a key that the file has; that of a section, where the key itself is left to a default or mistyped. */
    | { readonly kind: 'key'; readonly path: readonly string[] };
}

export interface LogContext {
  readonly run: string;
  /** The root of the run's config; undefined: keys are not looked for. */
  readonly config: Node | undefined;
  /** The keys that such a config may have; undefined: only those that it has are found. */
  readonly keys: KeyTable | undefined;
  /** Inside the folder that was sent, the file of a path or of a bare name; undefined: it has none. */
  readonly sentFile: (path: string) => string | undefined;
}

/** Lines that are longer are data. */
const longest = 5_000;
const places = [
  /File "([^"\n]{1,1024})", line (\d{1,7})/g,
  // From the start of a name alone: anything else takes the square of a long word.
  /(?<![\w.@+/-])((?:[\w.@+-]*\/)*[\w.@+-]+\.\w{1,5}):(\d{1,7})\b/g,
];
/** On the host the code of a run is in `runs/ID/code`; on a node of a Ray cluster it is what Ray has unpacked there. */
const packages = /\/_ray_pkg_[^/]+\//;
const key = /[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+/g;
const mark =
  /\b(?:error|missing|mandatory|invalid|unknown|unsupported|deprecated|key|full_key|config|assert)/i;

export function logLinks(line: string, context: LogContext): readonly LogLink[] {
  if (line.length > longest) return [];
  const links: LogLink[] = [];
  for (const place of places) {
    for (const match of line.matchAll(place)) {
      const path = sentPath(match[1] ?? '', context);
      if (path === undefined) continue;
      const target = { kind: 'file', path, line: Number(match[2]) } as const;
      links.push({ start: match.index, end: match.index + match[0].length, target });
    }
  }
  if (!mark.test(line)) return links;
  for (const match of line.matchAll(key)) {
    const [start, end] = [match.index, match.index + match[0].length];
    if (links.some((link) => link.start < end && start < link.end)) continue;
    const path = keyIn(context, match[0]);
    if (path !== undefined) links.push({ start, end, target: { kind: 'key', path } });
  }
  return links;
}

/** Other paths may be relative to the folder. */
function sentPath(path: string, { run, sentFile }: LogContext): string | undefined {
  const own = `/${run}/code/`;
  const at = path.indexOf(own);
  const unpacked = packages.exec(path);
  const start = at >= 0 ? at + own.length : unpacked ? unpacked.index + unpacked[0].length : 0;
  const inside = path.slice(start).replace(/^\.\//, '');
  return inside.startsWith('/') ? undefined : sentFile(inside);
}

/** Keys are told from the root, or from one of its mappings (`trainer.total_steps` for `trinity.trainer.total_steps`). */
function keyIn({ config, keys }: LogContext, text: string): readonly string[] | undefined {
  const steps = text.split('.');
  if (config?.kind !== 'mapping') return undefined;
  const paths = [steps, ...config.entries.map((entry) => [entry.key, ...steps])];
  const own = paths.find((path) => nodeAt(config, path) !== undefined);
  if (own !== undefined) return own;
  const meant = paths.find((path) => isMeant(path, keys));
  return meant && nearest(config, meant);
}

/** Whether it is a key that the file leaves to a default, or nearly the name of one. */
function isMeant(path: readonly string[], keys: KeyTable | undefined): boolean {
  if (keys?.find(path) !== undefined) return true;
  const section = keys?.find(path.slice(0, -1));
  return section !== undefined && isSlipOf(path.at(-1) ?? '', section, nothing);
}

/** Also a key that is there may be written a second time, and wrong. */
const nothing: MappingNode = { kind: 'mapping', span: { start: 0, end: 0 }, flow: false, entries: [] };

/** The section nearest above that is there, as for what a host finds in a config. */
function nearest(config: Node, path: readonly string[]): readonly string[] | undefined {
  let node: Node | undefined = config;
  let depth = 0;
  for (const step of path) {
    node = entryOf(node, step)?.value;
    if (node === undefined) break;
    depth += 1;
  }
  return depth === 0 ? undefined : path.slice(0, depth);
}
