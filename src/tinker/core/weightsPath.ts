import { tinkerErrors } from './errors.ts';

/** The parts of the `tinker://` path of saved weights. */
export interface WeightsPath {
  /** The id of the training run on the server. */
  readonly run: string;
  /** `weights` has the optimizer, `sampler_weights` and `external_weights` do not. */
  readonly folder: 'weights' | 'sampler_weights' | 'external_weights';
  readonly name: string;
}

/** Parts of a path become parts of a URL, so none can be `..` or hold a slash. */
const pattern =
  /^tinker:\/\/([\w:-][\w.:-]*)\/(?:(weights|sampler_weights|external_weights)\/)?([\w-][\w.-]*)$/;

/** Returns the parts of a path; undefined for other text. SkyRL omits the folder of weights for sampling. */
export function parseWeightsPath(path: string): WeightsPath | undefined {
  const [, run, folder = 'sampler_weights', name] = pattern.exec(path) ?? [];
  if (run === undefined || name === undefined) return undefined;
  return { run, folder: folder as WeightsPath['folder'], name };
}

/** Returns the parts of a path. Throws `tinker/bad-path`. */
export function readWeightsPath(path: string): WeightsPath {
  const parts = parseWeightsPath(path);
  if (parts === undefined) throw tinkerErrors.badPath(path);
  return parts;
}

export function writeWeightsPath({ run, folder, name }: WeightsPath): string {
  return `tinker://${run}/${folder}/${name}`;
}
