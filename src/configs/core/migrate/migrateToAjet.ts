import { insertKey, removeWithSection, renameKey, replaceScalar } from '../edits.ts';
import { astunerKeys } from '../key-tables/keyTable.ts';
import { entryOf, nodeAt, scalarsIn, type Entry, type MappingNode } from '../node.ts';
import { parseConfig, type ConfigDocument } from '../parse.ts';
import { visitAll, type Visit } from '../rules/visit.ts';
import { applyEdits, difference, type TextEdit } from '../text.ts';

const before = 'astuner';
const after = 'ajet';

/** Names that changed other than by the section's own. */
const defaultsEntries: Readonly<Record<string, string>> = {
  astune_default: 'ajet_default',
  astuner_default: 'ajet_default',
};
const modules: readonly (readonly [from: string, to: string])[] = [
  ['astuner.task_judge.math_answer_as_judge', 'tutorial.example_math_agent.math_answer_as_judge'],
  ['astuner.task_judge.countdown_answer_as_judge', 'tutorial.example_countdown.countdown_answer_as_judge'],
  ['astuner.', 'ajet.'],
];
/** The reader of JSON lines, as value of `task_reader.type`. */
const reader = { from: 'dataset_file', to: 'jsonl_dataset_file' };

/**
 * Returns the edits that turn an ASTuner config into an AgentJet config. They change the section, renamed keys,
 * entries of `defaults`, search paths, locators and interpolations. Comments and layout stay. Keys that AgentJet does
 * not have are removed. Keys that are not set get AgentJet's defaults, some of which differ. Empty if there is no
 * such section.
 */
export function migrateToAjet(document: ConfigDocument): TextEdit[] {
  if (entryOf(document.root, before) === undefined) return [];
  let moved = document;
  // One key at a time, for the next one may have to go where this one has gone.
  for (let edits = keyEdits(moved); edits.length > 0; edits = keyEdits(moved)) moved = edited(moved, edits);
  for (const step of [valueEdits, readerEdits, steeringEdits, rootEdits]) moved = edited(moved, step(moved));
  return moved.text === document.text ? [] : [difference(document.text, moved.text)];
}

function edited(document: ConfigDocument, edits: readonly TextEdit[]): ConfigDocument {
  return edits.length === 0 ? document : parseConfig(applyEdits(document.text, edits));
}

/** Returns the edits for the first key that must change; empty if all keys are current. */
function keyEdits(document: ConfigDocument): TextEdit[] {
  for (const visit of visitAll(document, astunerKeys())) {
    const { key, written } = visit;
    if (key === undefined || written === undefined || !key.path.startsWith(`${before}.`)) continue;
    const { successor } = key.info ?? {};
    const edits = successor === undefined ? leaving(visit) : renaming(visit, successor);
    if (edits.length > 0) return edits;
  }
  return [];
}

/** A key that only the predecessor has, and that nothing does the work of. */
function leaving({ document, key, written }: Visit): TextEdit[] {
  if (written === undefined || key?.info === undefined) return [];
  if (!gone.has(key.path.slice(before.length + 1))) return [];
  return removal(document, written.entry, written.parent);
}

const gone: ReadonlySet<string> = new Set([
  'rollout.use_agentscope_protocol',
  'context_tracker.context_tracker_type',
  'context_tracker.max_env_len',
  'trainer_common.trinity_only__runner_per_model',
]);

function renaming({ document, key, written }: Visit, successor: string): TextEdit[] {
  if (written === undefined || key === undefined) return [];
  const { entry, parent } = written;
  const target = [before, ...successor.split('.').slice(1)];
  const name = target.at(-1) ?? '';
  // What is set already under its own name counts.
  if (nodeAt(document.root, target) !== undefined) return removal(document, entry, parent);
  const isBeside = key.parent?.path === target.slice(0, -1).join('.');
  // Of several old names in one section the last one that the predecessor learned counts.
  if (isBeside) {
    const newer = key.info?.renamedTo?.split('.').at(-1);
    return newer !== undefined && entryOf(parent, newer) !== undefined
      ? removal(document, entry, parent)
      : [renameKey(entry, name)];
  }
  const text = document.text.slice(entry.value.span.start, entry.value.span.end);
  const insertion = insertKey(document, target, text);
  const taken = removal(document, entry, parent);
  return insertion === undefined || taken.length === 0 ? [] : [insertion, ...taken];
}

function removal(document: ConfigDocument, entry: Entry, parent: MappingNode): TextEdit[] {
  const edit = removeWithSection(document, entry, parent);
  return edit === undefined ? [] : [edit];
}

function valueEdits(document: ConfigDocument): TextEdit[] {
  const paths = renamedPaths();
  return [...scalarsIn(document.root)].flatMap((node): TextEdit[] => {
    if (typeof node.value !== 'string' || !node.value.includes(before)) return [];
    const written = document.text.slice(node.span.start, node.span.end);
    const interpolated = written.replaceAll(
      /(\$\{)(astuner(?:\.[\w]+)*)/g,
      (_all, open: string, path: string) => {
        return open + (paths.get(path) ?? path.replace(before, after));
      },
    );
    const newText = interpolated.includes('->') ? locatorAfter(interpolated) : interpolated;
    return newText === written ? [] : [{ span: node.span, newText }];
  });
}

function locatorAfter(written: string): string {
  const [quote = ''] = /^["']?/.exec(written) ?? [];
  return quote + movedLocator(written.slice(quote.length));
}

/** A locator of the predecessor's, by what AgentJet calls it. */
export function movedLocator(locator: string): string {
  const change = modules.find(([from]) => locator.startsWith(from));
  return change === undefined ? locator : change[1] + locator.slice(change[0].length);
}

export function movedReader(name: string): string {
  return name === reader.from ? reader.to : name;
}

function renamedPaths(): ReadonlyMap<string, string> {
  const successors = astunerKeys().keys.flatMap(({ path, info }): [string, string][] =>
    info?.successor === undefined ? [] : [[path, info.successor]],
  );
  return new Map(successors);
}

/** The value that names the reader; its section is a key with a successor. */
function readerEdits(document: ConfigDocument): TextEdit[] {
  const type = nodeAt(document.root, [before, 'task_reader', 'type']);
  if (type?.kind !== 'scalar' || type.value !== reader.from) return [];
  return [replaceScalar(document, type, reader.to, true)];
}

function steeringEdits(document: ConfigDocument): TextEdit[] {
  const search = [...scalarsIn(nodeAt(document.root, ['hydra', 'searchpath']))].flatMap(
    (node): TextEdit[] => {
      if (typeof node.value !== 'string') return [];
      const written = document.text.slice(node.span.start, node.span.end);
      const newText = written.replace(/\bastuner\/default_config/, `${after}/default_config`);
      return newText === written ? [] : [{ span: node.span, newText }];
    },
  );
  const defaults = [...scalarsIn(nodeAt(document.root, ['defaults']))].flatMap((node): TextEdit[] => {
    const name = typeof node.value === 'string' ? defaultsEntries[node.value] : undefined;
    return name === undefined ? [] : [replaceScalar(document, node, name, true)];
  });
  return [...search, ...defaults];
}

function rootEdits(document: ConfigDocument): TextEdit[] {
  const root = entryOf(document.root, before);
  return root === undefined ? [] : [renameKey(root, after)];
}
