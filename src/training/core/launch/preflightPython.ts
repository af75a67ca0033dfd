import * as z from 'zod/mini';
import type { Finding } from '../protocol/hostRpc.ts';
import type { RunOrder } from '../protocol/runs.ts';
import { error, warning } from './findings.ts';
import { programOf } from './plan.ts';
import type { Training } from './training.ts';

/** The output of {@link pythonQuestion}: versions of the interpreter and of packages. A missing package is null. */
export const pythonFacts = z.object({
  version: z.tuple([z.int(), z.int(), z.int()]),
  packages: z.record(z.string(), z.nullable(z.string())),
  /** The folder of AgentJet's package, which contains its default configs. */
  ajet: z.optional(z.nullable(z.string())),
  /** True if a module `vllm` can be imported, whatever package has it. */
  vllm: z.optional(z.boolean()),
});
export type PythonFacts = z.infer<typeof pythonFacts>;

/** The script that reads installed versions. It imports no package, because importing torch takes seconds. */
export const pythonQuestion = `
import importlib.metadata as metadata, importlib.util, json, os, sys
def version(*names):
    for name in names:
        try:
            return metadata.version(name)
        except Exception:
            pass
    return None
def folder(name):
    try:
        found = importlib.util.find_spec(name).submodule_search_locations[0]
        return found if os.path.isdir(os.path.join(found, 'default_config')) else None
    except Exception:
        return None
def found(name):
    try:
        return importlib.util.find_spec(name) is not None
    except Exception:
        return False
print(json.dumps({'ajet': folder('ajet'), 'vllm': found('vllm'), 'version': list(sys.version_info[:3]), 'packages': {
    'agentjet': version('agentjet', 'ajet', 'astuner'), 'trinity-rft': version('trinity-rft'),
    'verl': version('verl', 'verl-bundle'), 'ray': version('ray'), 'vllm': version('vllm'),
    'tinker': version('tinker'), 'torch': version('torch'), 'swanlab': version('swanlab'), 'wandb': version('wandb')}}))
`;

export function pythonFindings(order: RunOrder, training: Training, facts: PythonFacts): Finding[] {
  if (order.launcher === 'ray') return [];
  const [major, minor] = facts.version;
  const found: Finding[] = [];
  if (major !== 3 || minor < 10 || minor > 12) {
    const message = `The launcher's Python is ${facts.version.join('.')}. Upstream supports 3.10 to 3.12.`;
    const hint = 'Ask the owner of the host to set a launcher from another environment.';
    found.push(error('python-version', message, { hint }));
  }
  const missing = needed(order, training).filter((name) => facts.packages[name] === null);
  if (missing.length > 0) {
    const message = `Packages are missing in the launcher's Python: ${missing.join(', ')}.`;
    const hint = 'Install the backbone in this Python, as in the upstream documentation.';
    // An external model needs no vllm here.
    const isVllm = missing.every((name) => name === 'vllm');
    found.push((isVllm ? warning : error)('packages-missing', message, { hint }));
  }
  const verl = facts.packages['verl'];
  if (order.launcher === 'ajet' && typeof verl === 'string')
    found.push(...verlFindings(verl, order.backbone));
  return found;
}

function needed(order: RunOrder, training: Training): string[] {
  const { value } = training.monitor;
  const monitor = value === 'swanlab' || value === 'wandb' ? [value] : [];
  const trinity = programOf(order.launcher, training) === 'trinity' || order.backbone === 'trinity';
  const engine = training.tinker === null ? 'vllm' : 'tinker';
  return ['ray', 'torch', 'verl', engine, ...(trinity ? ['trinity-rft'] : []), ...monitor];
}

/** Repeats upstream's check of the version, which ends the launcher with exit status 1. */
function verlFindings(version: string, backbone: RunOrder['backbone']): Finding[] {
  const has = (...parts: string[]): boolean => parts.some((part) => version.includes(part));
  const fits =
    backbone === 'trinity' ? !has('0.5.0.post', '0.7.0.post') : has('0.5.0.post', '0.5.0.dev', '0.7.0.post');
  if (fits) return [];
  const wanted =
    backbone === 'trinity' ? 'the version that trinity-rft requires' : '0.5.0.post… or 0.7.0.post…';
  const message = `The launcher does not support the backbone ${backbone} with verl ${version}.`;
  return [error('verl-version', message, { hint: `Install ${wanted}, or choose the other backbone.` })];
}
