import { quotedName, scalarText } from '../report.ts';
import type { TrinityView } from './view.ts';

const input = 'buffer.explorer_input';
const experience = 'buffer.trainer_input.experience_buffer';
const auxiliary = 'buffer.trainer_input.auxiliary_buffers';
const train = 'buffer.train_batch_size';
const type = 'algorithm.algorithm_type';

export function trainBatch(view: TrinityView): void {
  if (view.number(train) !== 0) return;
  if (view.isMode('train') || view.algorithm?.modes !== undefined) {
    const why = view.isMode('train') ? 'Mode `train`' : view.shown(type);
    view.report('trinity-train-batch', {
      at: [train, 'buffer', 'mode', type],
      message: `${why} needs \`buffer.train_batch_size\`, which is not set, so Trinity does not start. Set it to the number of samples of one training step.`,
    });
    return;
  }
  const [batch, repeat] = [view.number('buffer.batch_size'), view.number('algorithm.repeat_times')];
  if (batch === undefined || repeat === undefined || view.typed(train) === undefined) return;
  const message = `${quotedName(train)} 0 becomes \`batch_size\` ${batch} × \`repeat_times\` ${repeat} = ${batch * repeat}.`;
  view.report('trinity-default-applied', { at: [train], message, becomes: batch * repeat });
}

export function tasksets(view: TrinityView): void {
  if (view.mode === undefined || view.isMode('train', 'serve')) return;
  const count = view.count(`${input}.tasksets`);
  const single = view.isSet(`${input}.taskset`);
  const none = view.isNull(`${input}.taskset`);
  if (count === undefined || (!single && !none)) return;
  if (single && count > 0) {
    view.report('trinity-tasksets', {
      at: [`${input}.taskset`, `${input}.tasksets`],
      message:
        '`taskset` and `tasksets` are both set, so Trinity does not start. Move `taskset` into the list `tasksets`.',
    });
  }
  if (none && count === 0) noSet(view);
  const training = [...(single ? [`${input}.taskset`] : []), ...view.items(`${input}.tasksets`)];
  for (const section of training) {
    pathMissing(view, section);
    repeats(view, `${section}.repeat_times`);
  }
  for (const section of view.items(`${input}.eval_tasksets`)) pathMissing(view, section);
}

function noSet(view: TrinityView): void {
  if (view.isMode('bench')) {
    if (view.count(`${input}.eval_tasksets`) !== 0) return;
    const message = 'Mode `bench` runs the `eval_tasksets`, but none are set.';
    view.report('trinity-tasksets', {
      severity: 'warning',
      at: [`${input}.eval_tasksets`, input, 'mode'],
      message,
    });
    return;
  }
  const reads = view.typed(input) !== undefined;
  view.report('trinity-tasksets', {
    // Without the section the file may be one that a program fills in, as AgentScope's tuner does.
    severity: reads ? 'error' : 'information',
    at: [input, 'buffer', 'mode'],
    message: `Mode \`${view.mode ?? ''}\` needs tasks, but neither \`taskset\` nor \`tasksets\` of \`${input}\` is set, so Trinity does not start. Set the path of a data set there.`,
  });
}

function repeats(view: TrinityView, key: string): void {
  const wanted = view.number('algorithm.repeat_times');
  const own = view.number(key);
  if (own === undefined || wanted === undefined || own === wanted || view.typed(key) === undefined) return;
  const message = `${view.shown(key)} becomes ${wanted}, because training uses \`algorithm.repeat_times\`.`;
  view.report('trinity-value-rewritten', { at: [key], message, becomes: wanted });
}

function pathMissing(view: TrinityView, section: string): void {
  if (!view.isEmpty(`${section}.path`)) return;
  view.report('trinity-tasksets', {
    at: [`${section}.path`, section],
    message:
      'This task set has no `path`, so Trinity does not start. Set it to a file, a folder or a data set of the hub.',
  });
}

export function experienceBuffer(view: TrinityView): void {
  if (view.mode === undefined || view.isMode('bench')) return;
  experienceStore(view);
  for (const name of view.names(auxiliary) ?? []) {
    const section = `${auxiliary}.${name}`;
    if (name.includes('.') || view.names(section) === undefined || !view.isEmpty(`${section}.path`)) continue;
    view.report('trinity-auxiliary-buffer', {
      at: [`${section}.path`, section],
      message: `The auxiliary buffer \`${name}\` has no \`path\`, so Trinity does not start.`,
    });
  }
}

function experienceStore(view: TrinityView): void {
  const key = `${experience}.storage_type`;
  const storage = view.text(key)?.toLowerCase();
  if (storage === 'file' && view.isMode('both', 'colocate') && view.algorithm?.modes === undefined) {
    view.report('trinity-value-rewritten', {
      severity: 'warning',
      at: [key],
      message: `In mode \`${view.mode ?? ''}\` the trainer reads while the explorer writes, so \`storage_type\` \`file\` becomes \`queue\`.`,
      becomes: 'queue',
      set: [[key, 'queue']],
    });
    return;
  }
  if (storage === undefined || storage === 'queue' || !view.isEmpty(`${experience}.path`)) return;
  if (view.algorithm?.modes !== undefined || view.typed(experience) === undefined) return;
  const kind = storage === 'sql' ? 'an SQLite file' : 'a file';
  const message = `${quotedName(experience)} has no \`path\`. Trinity creates ${kind} in the folder of the job, with a name from \`name\`. If several runs share the buffer, set the same path for all of them.`;
  view.report('trinity-default-applied', { severity: 'information', at: [key, experience], message });
}

const experiencePipeline = 'data_processor.experience_pipeline';
const taskPipeline = 'data_processor.task_pipeline';

export function pipelines(view: TrinityView): void {
  savedInput(view);
  taskOutput(view);
}

function savedInput(view: TrinityView): void {
  const key = `${experiencePipeline}.input_save_path`;
  const path = view.text(key);
  if (view.flag(`${experiencePipeline}.save_input`) !== true || path === undefined || path === '') return;
  if (!view.isMode('explore', 'both', 'serve', 'colocate')) return;
  if (/\.jsonl?$|^[a-z][a-z0-9+]*:\/\//i.test(path)) return;
  view.report('trinity-pipeline', {
    at: [key],
    message: `Experiences are saved to a \`.json\` or \`.jsonl\` file or to a database (\`sqlite:///…\`), but \`${path}\` is neither. Trinity stops when it starts to explore.`,
  });
}

function taskOutput(view: TrinityView): void {
  if (!view.isSet(taskPipeline) || view.names(taskPipeline) === undefined) return;
  const output = `${taskPipeline}.output`;
  const { algorithm } = view;
  const trains = view.isMode('train') && algorithm !== undefined && algorithm.modes === undefined;
  if (trains && view.isNull(output)) {
    view.report('trinity-pipeline', {
      at: [taskPipeline],
      message: `In mode \`train\` the task pipeline needs an \`output\`, but it is ${scalarText(view.scalar(output))}, so Trinity does not start.`,
    });
    return;
  }
  const path = view.text(`${output}.path`);
  if (path === undefined || view.context.references.exists(path) !== true) return;
  view.report('trinity-pipeline', {
    at: [`${output}.path`],
    message: `\`${path}\` already exists, and the task pipeline does not overwrite it. Set another path, or remove the file.`,
  });
}
