import * as z from 'zod/mini';
import type { Condition } from './condition.ts';

export const valueTypes = ['object', 'array', 'string', 'integer', 'number', 'boolean', 'null'] as const;

const oneOrMore = <T extends z.core.$ZodType>(item: T) => z.union([item, z.array(item)]);
const itemRow = () => z.strictObject({ type: z.enum(valueTypes), enum: z.optional(z.array(z.string())) });
/** Made when asked for: only tests check rows. */
const keyRow = () =>
  z.strictObject({
    /** A dotted path; `[]` after a name is any item of a list, `{}` any value of a mapping. */
    path: z.string(),
    /** Absent in a row that only lists differences to a shared row. */
    type: z.optional(z.union([oneOrMore(z.enum(valueTypes)), z.literal('any')])),
    /** Absent when there is none: null may be a default too. */
    default: z.optional(z.json()),
    /** Defaults that differ between releases: from each named release on. `default` is that of the usual release. */
    defaults: z.optional(z.record(z.string(), z.json())),
    /** Path of a key of the same table whose keys are this one's too, and its row where this one has no type. */
    ref: z.optional(z.string()),
    /** The user has to set it: its default, if any, is only a placeholder. */
    required: z.optional(z.boolean()),
    description: z.optional(z.string()),
    /** The upstream source that reads or defines the key. */
    source: z.optional(z.string()),
    verlPath: z.optional(oneOrMore(z.string())),
    trinityPath: z.optional(oneOrMore(z.string())),
    enum: z.optional(z.array(z.string())),
    /** `enum` lists the documented values; others work as well. */
    enumIsOpen: z.optional(z.boolean()),
    min: z.optional(z.number()),
    max: z.optional(z.number()),
    exclusiveMin: z.optional(z.number()),
    /** A rule across keys, in words. */
    constraint: z.optional(z.string()),
    appliesWhen: z.optional(z.string()),
    /** The meaning of unlisted keys in this section, if it differs from the table's default. */
    unlisted: z.optional(z.enum(['closed', 'passed-on', 'open'])),
    /** A section that is made a data class where training starts: a key that the class does not have fails there. */
    strict: z.optional(z.boolean()),
    deprecated: z.optional(z.boolean()),
    /** Nothing upstream reads it. */
    unused: z.optional(z.boolean()),
    /** The first release that knows the key, and the first that does not know it any more. */
    since: z.optional(z.string()),
    removed: z.optional(z.string()),
    /** The new key: a path, or the name of a sibling. Without `removed` both work. */
    renamedTo: z.optional(z.string()),
    /** Path of the key that does its work in the format that replaced this one. */
    successor: z.optional(z.string()),
    insteadUse: z.optional(z.string()),
    /** The reason not to set it: the program computes it. */
    doNotSet: z.optional(z.string()),
    /** When a value that is set is not used. */
    ignoredWhenSet: z.optional(z.string()),
    unit: z.optional(z.string()),
    /** The kind of path that the value names. */
    holds: z.optional(z.enum(['file', 'folder', 'path', 'workflow', 'judge', 'interpolation'])),
    /** Training makes what the text names: it need not be there. */
    made: z.optional(z.boolean()),
    /** The share of upstream configs that set it: 9 is nearly all, absent is nearly none. */
    use: z.optional(z.number()),
    caseInsensitive: z.optional(z.boolean()),
    /** About single values of `enum`. */
    valueNotes: z.optional(z.record(z.string(), z.string())),
    items: z.optional(itemRow()),
  });

/** One line of a table of keys. */
export type KeyRow = z.infer<ReturnType<typeof keyRow>> & {
  /** False if the release of the table knows the key. Undefined if the release is not known. */
  readonly absent?: boolean | undefined;
};

/** Checks rows. Throws if a row is malformed, which is a bug of AgentJet. */
export function readRows(data: unknown): KeyRow[] {
  return z.array(keyRow()).parse(data);
}

/** A program whose releases have different keys. */
export type Program = 'ajet' | 'trinity';

/** The release whose keys and defaults apply. */
export interface KnownRelease {
  readonly program: Program;
  /** The name in the table, such as `0.6.0` or `May 2026`. */
  readonly name: string;
  /** True if nothing names the release, so it is the usual one. */
  readonly assumed: boolean;
}

export type ValueType = (typeof valueTypes)[number];

export interface ValueInfo {
  readonly types: readonly ValueType[];
  readonly allowed?: readonly string[] | undefined;
  /** Other values than `allowed` work too. */
  readonly allowsOthers: boolean;
  readonly caseInsensitive?: boolean | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly exclusiveMin?: number | undefined;
}

/** Fields of a row that its key takes over as they are. */
type TakenField =
  | 'since'
  | 'removed'
  | 'successor'
  | 'insteadUse'
  | 'ignoredWhenSet'
  | 'unit'
  | 'valueNotes'
  | 'holds'
  | 'use'
  | 'constraint'
  | 'appliesWhen';

export interface KeyInfo extends ValueInfo, Readonly<Pick<KeyRow, TakenField>> {
  readonly description: string;
  readonly default: unknown;
  readonly hasDefault: boolean;
  readonly required: boolean;
  readonly deprecated: boolean;
  readonly unused: boolean;
  readonly renamedTo?: string | undefined;
  readonly doNotSet?: string | undefined;
  readonly made: boolean;
  /** The release of the table, which does not know this key. */
  readonly absent?: KnownRelease | undefined;
  /** False for a key that is not among the defaults: newer than the release, or than the usual one. */
  readonly hasCurrentDefault: boolean;
  /** Belongs to one of upstream's examples; AgentJet itself does not know it. */
  readonly ofExample: boolean;
  readonly condition?: Condition | undefined;
  /** The converted keys in the configuration of each training backbone. */
  readonly becomes: { readonly verl: readonly string[]; readonly trinity: readonly string[] };
}

export interface KeyNode {
  readonly name: string;
  /** The path in the table, such as `ajet.task_reader.feedback_tracing.filters[].type`. */
  readonly path: string;
  readonly parent: KeyNode | undefined;
  /** Absent for a section that the table implies but does not list. */
  readonly info: KeyInfo | undefined;
  /** By name; see `childOf` for the key under any name. */
  readonly children: ReadonlyMap<string, KeyNode>;
  readonly item: { readonly value: ValueInfo; readonly key: KeyNode | undefined } | undefined;
  /** The key for names that the user chooses; its path ends in `{}`. */
  readonly anyChild: KeyNode | undefined;
  /**
   * The meaning of unlisted keys. `closed`: nothing reads them. `passed-on`: the section goes to a backbone or a
   * library, which may read them. `open`: any key is valid.
   */
  readonly unlisted: 'closed' | 'passed-on' | 'open';
  /** True if an unlisted key stops training; for sections that are not `open`. */
  readonly strict: boolean;
}
