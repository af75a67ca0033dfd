/** Detects the format of a file by its content. */
import { isRecord } from '../../../base/core/isRecord.ts';
import { recordingFormat } from '../../../base/core/recordingFormat.ts';
import { shallowJson } from '../shallowJson.ts';
import { beastLog, isBeastHeader } from './beastLog.ts';
import { importErrors } from './errors.ts';
import { headLength, headOf, isByLine } from './eachValue.ts';
import { JsonValues } from './jsonValues.ts';
import { isOpenAiRecord, openAiLog } from './openAi.ts';
import { isOtlp, otlp } from './otlp.ts';
import { isTrajectory, trajectory } from './trajectory.ts';
import { isTrinityTable, trinityDatabase, isTrinityExperience, trinityLines } from './trinity.ts';
import { isVerifiersEpisode, verifiers } from './verifiers.ts';
import type { Importer, ImportSource } from './parts.ts';

/** Returns the importer. Rejects with `import/unknown-format` or `import/recording`. */
export async function detectImporter(source: ImportSource, file: string): Promise<Importer> {
  if (source.database !== null) {
    if (isTrinityTable(source.database)) return trinityDatabase;
    throw importErrors.unknownDatabase(file);
  }
  const head = await headOf(source);
  if (isRecording(head)) throw importErrors.recording(file);
  const found = detectText(head);
  if (found === undefined) throw importErrors.unknownFormat(file);
  return found;
}

function isRecording(head: string): boolean {
  const first = shallowJson(head.split('\n', 1)[0] ?? '');
  return isRecord(first) && first['format'] === recordingFormat;
}

function detectText(head: string): Importer | undefined {
  if (head.split('\n', 20).some(isBeastHeader)) return beastLog;
  for (const value of firstValues(head)) {
    const found = byValue.find(({ matches }) => matches(value));
    if (found !== undefined) return found.importer;
  }
  // A document longer than the head is detected by its first names.
  return byName.find(({ name }) => name.test(head))?.importer;
}

const byValue: readonly { readonly matches: (value: unknown) => boolean; readonly importer: Importer }[] = [
  { matches: isOtlp, importer: otlp },
  // Checked before the logs of requests, which also have `messages`.
  { matches: isTrinityExperience, importer: trinityLines },
  { matches: isVerifiersEpisode, importer: verifiers },
  { matches: isTrajectory, importer: trajectory },
  { matches: isOpenAiRecord, importer: openAiLog },
];

const byName: readonly { readonly name: RegExp; readonly importer: Importer }[] = [
  { name: /^\{\s*"resource_?[sS]pans"\s*:/, importer: otlp },
  { name: /^\{[^{}]{0,4096}"task"\s*:\s*\{[\s\S]*"traces"\s*:\s*\[/, importer: verifiers },
];

function firstValues(head: string): readonly unknown[] {
  if (isByLine(head)) {
    const lines = head.split('\n', 50).filter((line) => line.trim() !== '');
    return lines.map(shallowJson).filter((value) => value !== undefined);
  }
  const values = new JsonValues(head.startsWith('[') ? ['*'] : [''], headLength);
  return [...values.push(head)]
    .slice(0, 50)
    .flatMap(({ text }) => (text === null ? [] : [shallowJson(text)]));
}
