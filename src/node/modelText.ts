import { homedir } from 'node:os';
import process from 'node:process';
import type { ModelTextSource } from '../backbone/context-tracker/modelTextSource.ts';
import type { RunPlan } from '../backbone/launcher/runPlan.ts';
import type { CodedError } from '../base/errors.ts';
import type { RunRequest } from '../protocol/run.ts';
import type { ModelText } from '../tracking/tokenizer.ts';
import { localFiles } from './files.ts';
import { findModelText } from './tokenizer/open.ts';

/**
 * The tokenizer that training would use, or what stands in for it.
 *
 * @param warn hears why it is not the model's own
 */
export async function findRunText(
  request: Pick<RunRequest, 'tokenizer' | 'cwd' | 'config'>,
  plan: Pick<RunPlan, 'modelPath'>,
  warn: (problem: CodedError) => void,
): Promise<ModelTextSource> {
  const found = await findModelText({
    setting: request.tokenizer,
    modelPath: plan.modelPath ?? undefined,
    cwd: request.cwd,
    configFile: request.config,
    files: localFiles,
    env: process.env,
    home: homedir(),
    platform: process.platform,
  });
  if (found.problem !== undefined) warn(found.problem);
  let opened: Promise<ModelText> | undefined;
  return { note: found.note, open: () => (opened ??= found.open()) };
}
