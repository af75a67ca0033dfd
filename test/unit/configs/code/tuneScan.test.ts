import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanJobArguments, scanTuneCalls } from '../../../../src/configs/core/code/tuneScan.ts';
import { fuzz } from '../../fuzz.ts';

const lines = (text: string): number[] => scanTuneCalls(text).map(({ line }) => line);

describe('scanTuneCalls', () => {
  it.each([
    ['a call', 'from agentscope.tuner import tune\n\ntune(workflow_func=f)\n', [2]],
    [
      'one under a guard',
      'from agentscope.tuner import (\n  tune,\n)\nif __name__ == "__main__":\n  tune(\n    f\n  )',
      [4],
    ],
    ['one within a function', 'from agentscope.tuner import tune\ndef main():\n  tune(f)', [2]],
    ['by another name', 'from agentscope.tuner import tune as train\ntrain (f)', [1]],
    ['through the module', 'from agentscope import tuner\ntuner.tune(f)', [1]],
    ['through the package', 'import agentscope.tuner\nagentscope.tuner.tune(f)', [1]],
    ['through an alias', 'import agentscope.tuner as t\nt.tune(f)', [1]],
    ['of a star', 'from agentscope.tuner import *\ntune(f)', [1]],
    ['of the older package', 'from agentscope.tune import tune\ntune(f, "a.yaml")', [1]],
    ['two', 'from agentscope.tuner import tune\ntune(f)\ntune(g)', [1, 2]],
    ['none of another package', 'import agentscope\nfrom ray import tune\ntune(f)', []],
    ['none of a method', 'from agentscope.tuner import tune\nmodel.tune(f)', []],
    ['none that is defined', 'from agentscope.tuner import tune as t\ndef tune(f): ...', []],
    ['none in a text', 'from agentscope.tuner import tune\n"""\ntune(f)\n"""\n# tune(f)\n', []],
    ['none where it is only imported', 'from agentscope.tuner import tune\n', []],
  ])('finds %s', (_, text, expected) => {
    expect(lines(text)).toEqual(expected);
  });

  it('reads any text', () => {
    const word = fc.constantFrom(
      'from agentscope.tuner import tune',
      'tune(',
      'import ',
      '"""',
      '(',
      '\n',
      '.',
    );
    fc.assert(
      fc.property(fc.array(word), (words) => void scanTuneCalls(words.join(''))),
      fuzz(7311, 2000),
    );
  });

  it.each([
    ['ajet', 'job = AgentJetJob()\njob.set_data("dummy")\njob.tune()', 4],
    ['ajet.copilot.job', 'AgentJetJob() \\\n  .set_workflow(W) \\\n  .tune()', 4],
    ['astuner', 'AstunerJob(n_gpu=8).tune(1)', 2],
  ])('finds that of a job of %s', (module, code, line) => {
    const name = code.includes('AstunerJob') ? 'AstunerJob' : 'AgentJetJob';
    expect(scanTuneCalls(`from ${module} import ${name}\n\n${code}\n`)).toEqual([{ line }]);
  });

  it('takes no other class of that name for a job', () => {
    expect(scanTuneCalls('from mine import AgentJetJob\nAgentJetJob().tune()\n')).toEqual([]);
    expect(scanTuneCalls('class AgentJetJob: pass\nAgentJetJob().tune()\n')).toEqual([]);
  });
});

it('finds the arguments of jobs', () => {
  const code = 'Job(\n  model="m", lr=1e-6\n).set_data("dummy")\nother(n_gpu=8)\nJob()\n';
  expect(scanJobArguments(`from ajet.copilot.job import AgentJetJob as Job\n${code}`)).toEqual([
    ['model', 'lr'],
    [],
  ]);
  expect(scanJobArguments(`from mine import AgentJetJob as Job\n${code}`)).toEqual([]);
});
