/** What a run's models are, as the command line says it. */
import { replayMisses, type RunRequest } from '../../protocol/run.ts';
import { whole } from './argumentValues.ts';
import { oneOf, wrongUse } from './commandLine.ts';

/** Which model judges and data generation ask. */
export interface HelperArguments {
  readonly kind: 'embedded' | 'script' | 'endpoint';
  readonly script: string | undefined;
  readonly baseUrl: string | undefined;
  readonly modelName: string | undefined;
  readonly apiKeyEnv: string;
}

/** Paths are relative to the working directory. */
export interface RecordingArguments {
  readonly record: RunRequest['record'];
  readonly replay: RunRequest['replay'];
}

interface HelperValues {
  readonly helper?: string | undefined;
  readonly script?: string | undefined;
  readonly 'helper-script'?: string | undefined;
  readonly 'helper-base-url'?: string | undefined;
  readonly 'helper-model'?: string | undefined;
  readonly 'helper-api-key-env'?: string | undefined;
}

interface RecordingValues {
  readonly record?: string | undefined;
  readonly 'record-overwrite'?: boolean | undefined;
  readonly replay?: string | undefined;
  readonly 'replay-miss'?: string | undefined;
  readonly episode?: string | undefined;
}

/** What is given tells the kind, where that is not said. */
export function helperArguments(values: HelperValues): HelperArguments | undefined {
  const baseUrl = values['helper-base-url'];
  const script = values['helper-script'] ?? (values.helper === 'script' ? values.script : undefined);
  const told = script !== undefined ? 'script' : baseUrl !== undefined ? 'endpoint' : undefined;
  const named = values.helper ?? told;
  if (named === undefined) {
    const stray = ['helper-model' as const, 'helper-api-key-env' as const].find((flag) => values[flag]);
    if (stray === undefined) return undefined;
    throw wrongUse(`--${stray} needs a server.`, 'Add --helper-base-url URL.');
  }
  const kind = oneOf('--helper', named, ['embedded', 'script', 'endpoint'] as const);
  if (kind === 'script' && script === undefined) {
    throw wrongUse('--helper script needs a file.', 'Add --helper-script FILE.');
  }
  if (kind === 'endpoint' && baseUrl === undefined) {
    throw wrongUse('--helper endpoint needs a server.', 'Add --helper-base-url URL.');
  }
  return {
    kind,
    script,
    baseUrl,
    modelName: values['helper-model'],
    apiKeyEnv: values['helper-api-key-env'] ?? 'OPENAI_API_KEY',
  };
}

export function recordingArguments(values: RecordingValues): RecordingArguments {
  const { record, replay, 'record-overwrite': overwrite = false, 'replay-miss': miss } = values;
  if (record === undefined && overwrite) {
    throw wrongUse('--record-overwrite overwrites nothing.', 'Add --record FILE.');
  }
  if (replay === undefined && miss !== undefined) {
    throw wrongUse('--replay-miss is about a recording.', 'Add --replay FILE.');
  }
  const episode = whole('--episode', values.episode, 0);
  if (episode !== undefined && replay?.endsWith('.ajtrace') !== true) {
    throw wrongUse('--episode is about a trace.', 'Add --replay FILE.ajtrace.');
  }
  return {
    record: record === undefined ? undefined : { file: record, overwrite },
    replay:
      replay === undefined
        ? undefined
        : {
            file: replay,
            miss: oneOf('--replay-miss', miss ?? 'fail', replayMisses),
            ...(episode !== undefined && { episode }),
          },
  };
}
