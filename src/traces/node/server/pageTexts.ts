import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ViewerTexts } from '../../core/viewerPage.ts';

/** As the editor names them, beside English. */
const simplifiedChinese = 'zh-cn';

/**
 * The viewer's texts in the language that a browser would rather read; undefined: English, which the page has in itself.
 *
 * @param accepted the header `Accept-Language`, e.g. `zh-CN,zh;q=0.9,en;q=0.8`
 * @param folder that of the bundles; where it cannot be read, the page speaks English
 */
export async function textsFor(
  accepted: string | undefined,
  folder: string,
): Promise<ViewerTexts | undefined> {
  const language = wanted(accepted ?? '')
    .map(languageOf)
    .find((one) => one !== undefined);
  if (language === undefined || language === 'en') return undefined;
  try {
    const text = await readFile(path.join(folder, `bundle.l10n.${language}.json`), 'utf8');
    return { language, bundle: JSON.parse(text) as Readonly<Record<string, string>> };
  } catch {
    return undefined; // an installation without it has the viewer all the same
  }
}

/** The tags of the header, the dearest first. */
function wanted(accepted: string): readonly string[] {
  return accepted
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
      return { tag, weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ tag, weight }) => tag !== '' && weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);
}

/** Which of the languages there are a tag asks for. Traditional Chinese is another one. */
function languageOf(tag: string): string | undefined {
  const [language, ...subtags] = tag.split('-');
  if (language === 'en') return 'en';
  const traditional = ['hant', 'tw', 'hk', 'mo'].some((subtag) => subtags.includes(subtag));
  return language === 'zh' && (!traditional || subtags.includes('hans')) ? simplifiedChinese : undefined;
}
