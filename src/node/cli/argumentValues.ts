/** What single options take. Each throws `cli/…` where a text is none of it. */
import { parseDebugModel, type DebugModelText } from '../../protocol/debugModelText.ts';
import type { RunRequest } from '../../protocol/run.ts';
import { oneOf, wrongUse } from './commandLine.ts';

export function debugModel(text: string): [name: string, model: DebugModelText] {
  const [, name, written = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  const model = name === undefined ? undefined : parseDebugModel(name, written);
  if (name === undefined || model === undefined) {
    throw wrongUse(
      `--debug-model ${text} is no NAME=MODEL.`,
      'Write for example --debug-model gpt-4o=embedded, gpt-4o=answers.ts or gpt-4o=http://127.0.0.1:8000/v1.',
    );
  }
  return [name, model];
}

export function trainableTargets(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const targets = text
    .split(',')
    .map((target) => target.trim())
    .filter((target) => target !== '');
  if (targets.length === 0)
    throw wrongUse('--trainable-targets names none.', 'Leave it out to train those of the workflow.');
  return targets;
}

export function whole(flag: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least) {
    throw wrongUse(
      `${flag} ${text} is not a whole number from ${least}.`,
      `Write for example ${flag} ${least}.`,
    );
  }
  return value;
}

/** In bytes: `4G` has units of 1000, `4Gi` and `4GiB` of 1024. */
export function byteSize(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, digits = '', unit = '', binary] = /^(\d+(?:\.\d+)?)([KMGT])(i)?B?$/i.exec(text) ?? [];
  const base = binary === undefined ? 1_000 : 1_024;
  if (Number(digits) > 0)
    return Math.floor(Number(digits) * base ** ('KMGT'.indexOf(unit.toUpperCase()) + 1));
  throw wrongUse(`${flag} ${text} is no size.`, `Write for example ${flag} 500M or ${flag} 4G.`);
}

export function positive(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!(value > 0) || !Number.isFinite(value)) {
    throw wrongUse(`${flag} ${text} is not a number of seconds above 0.`, `Write for example ${flag} 60.`);
  }
  return value;
}

/** How workflows and judges in Python are run; undefined: by what is found. A path is relative to the working directory. */
export function pythonArguments(values: {
  readonly python?: string | undefined;
  readonly 'ajet-package'?: string | undefined;
  readonly 'plugin-dir'?: readonly string[] | undefined;
}): RunRequest['python'] {
  const { python, 'ajet-package': named, 'plugin-dir': pluginDirs } = values;
  if (python === undefined && named === undefined && pluginDirs === undefined) return undefined;
  return {
    ...(pluginDirs !== undefined && { pluginDirs: [...pluginDirs] }),
    ...(python !== undefined && { executable: python }),
    ...(named !== undefined && {
      package: oneOf('--ajet-package', named, ['bundled', 'installed'] as const),
    }),
  };
}
