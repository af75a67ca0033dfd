import type { Gpu } from '../protocol/hostRpc.ts';

export const nvidiaSmiArguments: readonly string[] = [
  '--query-gpu=index,name,memory.total,memory.used,utilization.gpu',
  '--format=csv,noheader,nounits',
];

export type GpuReading = Omit<Gpu, 'run'>;

/**
 * Parses the output of `nvidia-smi`: one GPU per line, with fields separated by `, `. A number that the driver does
 * not report (`[N/A]`, `[Not Supported]`) is null. Other lines, such as warnings of the driver, are ignored. Names
 * may contain commas.
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

/** Returns GPUs without details, for a machine whose driver reports none. */
export function virtualGpus(count: number): GpuReading[] {
  return Array.from({ length: count }, (_, index) => {
    return { index, name: 'GPU', memory: null, used: null, load: null };
  });
}
