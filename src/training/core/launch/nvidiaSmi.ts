import type { Gpu } from '../protocol/hostRpc.ts';

/** What `nvidia-smi` is asked with. */
export const nvidiaSmiArguments: readonly string[] = [
  '--query-gpu=index,name,memory.total,memory.used,utilization.gpu',
  '--format=csv,noheader,nounits',
];

/** A GPU before anything is known of who has it. */
export type GpuReading = Omit<Gpu, 'run'>;

/**
 * Its answer: one line a GPU, fields divided by `, `. A number that the driver does not tell (`[N/A]`, `[Not Supported]`)
 * is null; a line that is none of a GPU (warnings of the driver) is left out. Names may hold commas.
 */
export function parseNvidiaSmi(output: string): GpuReading[] {
  return output.split(/\r?\n/).flatMap((line) => {
    const fields = line.split(',').map((field) => field.trim());
    const index = fields[0] ?? '';
    if (fields.length < 5 || !/^\d+$/.test(index)) return [];
    const [memory, used, load] = fields.slice(-3).map(number);
    const name = fields.slice(1, -3).join(', ');
    return [{ index: Number(index), name, memory: memory ?? null, used: used ?? null, load: load ?? null }];
  });
}

function number(field: string): number | null {
  return /^\d+(?:\.\d+)?$/.test(field) ? Number(field) : null;
}

/** GPUs of a machine whose driver tells nothing: as many as its owner says. */
export function virtualGpus(count: number): GpuReading[] {
  return Array.from({ length: count }, (_, index) => {
    return { index, name: 'GPU', memory: null, used: null, load: null };
  });
}
