import { describe, expect, it } from 'vitest';
import { findCodeLocations } from '../../../../src/backbone/core/launcher/launch.ts';
import type { UserMethod } from '../../../../src/backbone/core/task-judge/judge.ts';
import type { RunLocations } from '../../../../src/tracking/core/records/episodeResult.ts';
import { composeText } from '../../configs/memoryFiles.ts';

const text = `ajet:
  rollout:
    user_workflow: w.ts->W
    num_repeat: 3
  task_judge: {judge_type: customized_protocol, judge_protocol: j.ts->J}
`;

const methods = (method: UserMethod) => Promise.resolve({ file: `/project/${method}.ts`, line: 7 });

async function places(
  own: string,
  placeOf: (method: UserMethod) => Promise<{ file: string }>,
): Promise<RunLocations> {
  const { config } = await composeText(own);
  return findCodeLocations(config, { placeOf });
}

describe('the places of a run', () => {
  it('are the methods of its classes, and the keys where the config sets them', async () => {
    const { execute, judge, keys } = await places(text, methods);
    expect([execute?.file, judge?.file]).toEqual(['/project/execute.ts', '/project/computeReward.ts']);
    expect(keys['ajet.rollout.num_repeat']).toMatchObject({ line: 4, column: 17 });
  });

  it('are the section of a key that is not set, and the file where that is not there either', async () => {
    const { keys } = await places(text, methods);
    expect(keys['ajet.rollout.max_model_len']).toMatchObject({ line: 3 });
    const { file } = keys['ajet.rollout.num_repeat'] ?? {};
    expect(keys['ajet.data.max_prompt_length']?.file).toBe(file);
  });

  it('have the line of the config for a judge that is not there', async () => {
    const gone = (method: UserMethod) =>
      method === 'execute' ? methods(method) : Promise.reject(new Error('gone'));
    expect((await places(text, gone)).judge).toMatchObject({ line: 5, column: 65 });
  });

  it('have no judge where the config names none', async () => {
    const { judge } = await places(text.replace(/ {2}task_judge.*\n/, ''), methods);
    expect(judge).toBeUndefined();
  });
});
