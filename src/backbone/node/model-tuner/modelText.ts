import { homedir } from 'node:os';
import process from 'node:process';
import type { ModelTextSource } from '../../core/context-tracker/modelTextSource.ts';
import type { RunPlan } from '../../core/launcher/runPlan.ts';
import type { RunRequest } from '../../core/protocol/run.ts';
import type { ModelText } from '../../../tracking/core/tokenizer.ts';
import { localFiles } from '../../../base/node/files.ts';
import { findModelText } from '../tokenizer/open.ts';

/** The tokenizer that training would use, or what stands in for it. */
export async function findRunText(
  request: Pick<RunRequest, 'tokenizer' | 'cwd' | 'config'>,
  plan: Pick<RunPlan, 'modelPath'>,
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
  let opened: Promise<ModelText> | undefined;
  return { ...found, open: () => (opened ??= found.open()) };
}
