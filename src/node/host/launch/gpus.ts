import {
  nvidiaSmiArguments,
  parseNvidiaSmi,
  virtualGpus,
  type FoundGpu,
} from '../../../remote/launch/nvidiaSmi.ts';
import { ask } from './ask.ts';

export interface GpuSource {
  /** The executable, or its name on PATH. */
  readonly nvidiaSmi?: string;
  /** As many as the owner of the host says, whatever the machine has. */
  readonly count?: number;
}

/** A driver that hangs must not hold the host up. */
const patience = 10_000;

/** The machine's GPUs; none where there is no driver. */
export async function gpusOf({ nvidiaSmi = 'nvidia-smi', count }: GpuSource): Promise<FoundGpu[]> {
  if (count !== undefined) return virtualGpus(count);
  return parseNvidiaSmi((await ask(nvidiaSmi, nvidiaSmiArguments, { milliseconds: patience })) ?? '');
}
