/**
 * What can be wrong with a translation.
 *
 * The words of the field, in Simplified Chinese; one word each, everywhere:
 *
 *   run 运行                 episode 回合             group 组                  task 任务
 *   repeat 重复              step 步                  rollout 采样              LLM call 调用, LLM 调用
 *   timeline 时间线          message 消息             token token (as the field writes it)
 *   prompt 提示词            reply, answer 回复       conversation 对话         tool call 工具调用
 *   reward 奖励              advantage 优势           judge 评判器              grader 评分器
 *   training 训练            train 参与训练 (of episodes and tokens)
 *   loss mask 损失掩码       logprob 对数概率         entropy 熵                probability 概率
 *   drift 漂移               retokenization 重新分词  merge 合并                fork 分叉
 *   workflow 工作流          agent 智能体             model 模型                config 配置
 *   trace 追踪 (the file of a run)  recording 录制    finding 发现              training report 训练报告
 *   breakpoint 断点          debug 调试               launch configuration 启动配置
 *   data set 数据集          chat template 聊天模板   tokenizer 分词器          setting 设置
 *   special token 特殊 token time axis 时间轴         lane 泳道                 layer 图层
 */
import { readTexts } from './manifestTexts.mjs';

/**
 * Of a bundle whose keys are the texts themselves.
 * @param file how the problems name it
 * @param extracted the texts of the code
 * @param english the bundle in English, or
 * @param translated that of another language
 */
export function problemsOfBundle(file, { extracted, english, translated }) {
  if (translated === undefined) return problemsOfKeys(file, Object.keys(extracted), english);
  return [
    ...problemsOfKeys(file, Object.keys(extracted), translated),
    ...Object.entries(translated)
      .filter(([key]) => Object.hasOwn(extracted, key))
      .flatMap(([key, text]) => problemsOfText(file, key, messageOf(extracted[key]), text)),
  ];
}

/** Of the texts of package.json, in English or, with `translated`, in another language. */
export function problemsOfManifest(file, { manifest, english, translated }) {
  const { keys, texts } = readTexts(manifest);
  if (translated === undefined) {
    return [
      ...texts.map(
        (text) => `package.json: "${text}" stands there itself: node test/tools/translations.mjs --update`,
      ),
      ...problemsOfKeys(file, keys, english),
    ];
  }
  return [
    ...problemsOfKeys(file, keys, translated),
    ...Object.entries(translated)
      .filter(([key]) => Object.hasOwn(english, key))
      .flatMap(([key, text]) => problemsOfText(file, key, english[key], text)),
  ];
}

/** `{0}`, `{1}` …: what comes in their place must be in every language. */
const placeholders = /\{\d+\}/g;
/** Code, icons and the targets of links are the same in every language. */
const fixed = [/`[^`]+`/g, /\$\([a-z-]+\)/g, /\]\([^)]+\)/g];

function problemsOfKeys(file, wanted, texts) {
  const known = new Set(wanted);
  return [
    ...[...known].filter((key) => !Object.hasOwn(texts, key)).map((key) => `${file}: "${key}" is missing`),
    ...Object.keys(texts)
      .filter((key) => !known.has(key))
      .map((key) => `${file}: "${key}" is used by nothing`),
  ];
}

function problemsOfText(file, key, english, translated) {
  const said = (problem) => `${file}: "${key}" ${problem}`;
  if (typeof translated !== 'string' || translated.trim() === '') return [said('is empty')];
  if (needsTranslation(english) && isForeign(translated)) return [said('is not translated')];
  return [
    ...(sameMembers(english, translated, placeholders) ? [] : [said('has other placeholders')]),
    ...(fixed.every((kind) => sameMembers(english, translated, kind))
      ? []
      : [said('has other code, icons or links')]),
    ...(/^\s|\s$/.test(translated) === /^\s|\s$/.test(english) ? [] : [said('has other space around it')]),
  ];
}

/** Words that stay: names, units, and what the field writes in English. */
const staying =
  /\b(AgentJet|Python|OTLP|JSON|JSONL|HTML|Perfetto|Chrome|YAML|token|Token|id|ID|ms|s|kB|MB|nats|logprob)s?\b/g;

/** Words, and none in Chinese. */
function isForeign(translated) {
  return needsTranslation(translated) && !/\p{Script=Han}/u.test(translated);
}

function needsTranslation(english) {
  const words = [...fixed, placeholders].reduce((text, kind) => text.replaceAll(kind, ''), english);
  return /\p{L}/u.test(words.replaceAll(staying, ''));
}

function sameMembers(left, right, pattern) {
  const members = (text) => [...new Set(text.match(pattern))].sort().join('\n');
  return members(left) === members(right);
}

function messageOf(entry) {
  return typeof entry === 'string' ? entry : entry.message;
}
