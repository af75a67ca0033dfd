/** Finds links to files and config keys in a line of a run's log. */
import type { KeyTable } from '../../../configs/core/key-tables/keyTable.ts';
import { nodeAt, type MappingNode, type Node } from '../../../configs/core/node.ts';
import { isSlipOf } from '../../../configs/core/rules/keys.ts';

export interface LogLink {
  /** The start in the line, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
  readonly target:
    | {
        readonly kind: 'file';
        /** The path in the uploaded folder. */
        readonly path: string;
        /** 1-based. */
        readonly line: number;
      }
    /** A key of the file, or its section if the key is not in the file or is misspelled. */
    | { readonly kind: 'key'; readonly path: readonly string[] };
}

export interface LogContext {
  readonly run: string;
  /** The root of the run's config; undefined to skip keys. */
  readonly config: Node | undefined;
  /** The keys that such a config can have; undefined to find only those in the file. */
  readonly keys: KeyTable | undefined;
  /** Returns the uploaded file for a path or a file name, or undefined if there is none. */
  readonly sentFile: (path: string) => string | undefined;
}

/** The length above which a line is data. */
const longest = 5_000;
const places = [
  /File "([^"\n]{1,1024})", line (\d{1,7})/g,
  // Only from the start of a name: otherwise a long word takes quadratic time.
  /(?<![\w.@+/-])((?:[\w.@+-]*\/)*[\w.@+-]+\.\w{1,5}):(\d{1,7})\b/g,
];
/** The folder in which Ray unpacks code on a node. On the host, the code is in `runs/ID/code`. */
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

function sentPath(path: string, { run, sentFile }: LogContext): string | undefined {
  const own = `/${run}/code/`;
  const at = path.indexOf(own);
  const unpacked = packages.exec(path);
  const start = at >= 0 ? at + own.length : unpacked ? unpacked.index + unpacked[0].length : 0;
  const inside = path.slice(start).replace(/^\.\//, '');
  return inside.startsWith('/') ? undefined : sentFile(inside);
}

/** Finds a key from the root or from one of its mappings (`trainer.total_steps` for `trinity.trainer.total_steps`). */
function keyIn({ config, keys }: LogContext, text: string): readonly string[] | undefined {
  const steps = text.split('.');
  if (config?.kind !== 'mapping') return undefined;
  const paths = [steps, ...config.entries.map((entry) => [entry.key, ...steps])];
  const own = paths.find((path) => nodeAt(config, path) !== undefined);
  if (own !== undefined) return own;
  const meant = paths.find((path) => isMeant(path, keys)) ?? [];
  const depth = meant.findLastIndex((_, at) => nodeAt(config, meant.slice(0, at + 1)) !== undefined);
  return depth < 0 ? undefined : meant.slice(0, depth + 1);
}

/** Returns true if the path is a key that is not in the file, or a misspelled one. */
function isMeant(path: readonly string[], keys: KeyTable | undefined): boolean {
  if (keys?.find(path) !== undefined) return true;
  const section = keys?.find(path.slice(0, -1));
  return section !== undefined && isSlipOf(path.at(-1) ?? '', section, nothing);
}

/** An empty mapping, because a misspelled key may repeat one in the file. */
const nothing: MappingNode = { kind: 'mapping', span: { start: 0, end: 0 }, flow: false, entries: [] };
