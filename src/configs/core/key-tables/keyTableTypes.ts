import type { Condition } from './condition.ts';
import type { KeyRow, valueTypes } from './keyTableRow.ts';

export type ValueType = (typeof valueTypes)[number];

/** The description of a value of a key or a list item. */
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

export interface KeyInfo extends ValueInfo {
  readonly description: string;
  readonly default: unknown;
  readonly hasDefault: boolean;
  readonly required: boolean;
  readonly deprecated: boolean;
  readonly unused: boolean;
  readonly since?: string | undefined;
  readonly removed?: string | undefined;
  /** Path of the key that took its place; without `removed`, both are read. */
  readonly renamedTo?: string | undefined;
  /** Path of the key that does its work in the dialect that replaced this one. */
  readonly successor?: string | undefined;
  readonly insteadUse?: string | undefined;
  readonly doNotSet?: string | undefined;
  readonly ignoredWhenSet?: string | undefined;
  readonly unit?: string | undefined;
  readonly valueNotes?: Readonly<Record<string, string>> | undefined;
  /** The kind of path that the value names. */
  readonly holds?: KeyRow['holds'];
  /** Training makes what the text names. */
  readonly made: boolean;
  /** The frequency of the key, from 0 to 9. */
  readonly use?: number | undefined;
  /** Belongs to one of upstream's examples; AgentJet itself does not know it. */
  readonly ofExample: boolean;
  readonly constraint?: string | undefined;
  /** The condition in the table, for users. */
  readonly appliesWhen?: string | undefined;
  readonly condition?: Condition | undefined;
  /** The converted keys in the configuration of each training backbone. */
  readonly becomes: { readonly verl: readonly string[]; readonly trinity: readonly string[] };
}

/** One key with what is below it. */
export interface KeyNode {
  readonly name: string;
  /** The path in the table, such as `ajet.task_reader.feedback_tracing.filters[].type`. */
  readonly path: string;
  readonly parent: KeyNode | undefined;
  /** Absent for a section that the table implies but does not list. */
  readonly info: KeyInfo | undefined;
  /** By name; see `childOf` for the key under any name. */
  readonly children: ReadonlyMap<string, KeyNode>;
  /** The items of a list. */
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
