import {
  nvidiaSmiArguments,
  parseNvidiaSmi,
  virtualGpus,
  type GpuReading,
} from '../../../core/launch/nvidiaSmi.ts';
import { answerOf } from './ask.ts';

export interface GpuSource {
  /** The executable, or its name on PATH. */
  readonly nvidiaSmi?: string;
  /** As many as the owner of the host says, whatever the machine has. */
  readonly count?: number;
}

/** A driver that hangs must not hold the host up. */
const patience = 10_000;
/** It fails where it can tell of none. */
const saysNone = /^No devices were found/m;

/** The machine's GPUs; none where there is no driver. Null: there is one, and it does not answer. */
export async function gpusOf({ nvidiaSmi = 'nvidia-smi', count }: GpuSource): Promise<GpuReading[] | null> {
  if (count !== undefined) return virtualGpus(count);
  const { kind, text } = await answerOf(nvidiaSmi, nvidiaSmiArguments, { milliseconds: patience });
  if (kind === 'absent' || saysNone.test(text)) return [];
  return kind === 'answered' ? parseNvidiaSmi(text) : null;
}
