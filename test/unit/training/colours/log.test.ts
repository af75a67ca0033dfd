/** Colours of launcher logs; the golden is to be read line by line. */
import { expect, it } from 'vitest';
import { openColourer } from './colourer.ts';

const log = String.raw`2026-01-12 10:11:12,345 INFO worker.py:1841 -- Started a local Ray instance at 127.0.0.1:8265
INFO 01-12 10:11:13 [config.py:54] epoch 3 of 10, lr=1e-6, offload=True
(WorkflowRunner pid=4711, ip=10.0.0.2) WARNING 2026-01-12 10:11:14 | trinity.explorer: retry 2
(TaskRunner pid=12) step:12 - actor/kl_loss:0.012 - critic/rewards/mean:-0.5 - val-core/math/acc@4:nan
{'reward/mean': 0.5, 'response_length/max': np.float64(812.0), "done": True}
2026-01-12T10:11:12.345Z ERROR the reward of "task 3" is missing
DEBUG 10 files in ./out/model-7b.safetensors and C:\runs\a.log (45%)
Traceback (most recent call last):
  File "/srv/app/workflow.py", line 42, in execute
    raise ValueError("bad")
openai.BadRequestError: Error code: 400 - see https://example.org/errors?id=400.
ray.exceptions.RayTaskError(ValueError): ray::run() (pid=1)
    at async MathWorkflow.execute (file:///home/me/workflow.ts:42:11)
    at /home/me/judge.ts:7:3
information about ERRORS, the INFOrmation of a/WARN and 3d`;

it('tells the parts of a log apart', async () => {
  const colour = await openColourer('text.agentjet-log');
  await expect(colour(log)).toMatchFileSnapshot('goldens/log.txt');
});

it('takes time in proportion to a line, whatever is in it', async () => {
  const colour = await openColourer('text.agentjet-log');
  // A pattern that tries again from every place would not come to an end here.
  for (const part of ['a/', '(', "'", 'a.', '1-', '/x ']) {
    const line = part.repeat(20_000 / part.length);
    expect(colour(line).startsWith(`| ${line.slice(0, 100)}`)).toBe(true);
  }
});
