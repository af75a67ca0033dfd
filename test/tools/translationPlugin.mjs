/**
 * Rules for the linter. A text that users read must be an argument of `l10n.t`, because test/tools/translations.mjs collects
 * the texts to translate from there.
 */
const translate = "A text that users read is l10n.t('…'), so that it can be translated.";
const pattern = (text) =>
  `:matches(Literal[value=${text}], TemplateLiteral:has(TemplateElement[value.raw=${text}]))`;
const word = pattern('/[a-z]{2}/i');
const sentence = pattern('/[a-z] [a-z]/i');
const shownAttribute =
  'JSXAttribute[name.name=/^(title|placeholder|alt|aria-(label|description|roledescription|valuetext))$/]';

/** Returns a rule that reports each node that one of the selectors finds. */
const report = (message, ...selectors) => ({
  create: (context) =>
    Object.fromEntries(selectors.map((selector) => [selector, (node) => context.report({ node, message })])),
});

export default {
  meta: { name: 'translation' },
  rules: {
    extractable: report(
      'Texts are collected from the code: the first argument of l10n.t is the text itself.',
      'CallExpression[callee.property.name="t"]:matches([callee.object.name="l10n"], [callee.object.property.name="l10n"]) > :not(Literal).arguments:first-child',
    ),
    'texts-of-page': report(
      translate,
      'JSXText[value=/[a-z]{2}/i]',
      `${shownAttribute} > ${word}`,
      `${shownAttribute} > JSXExpressionContainer > ${word}`,
      'JSXAttribute[name.name=/^(name|label|what|note|loading)$/] > Literal[value=/^[A-Z]|\\s/]',
      `:matches(JSXElement, JSXFragment) > JSXExpressionContainer > ${word}`,
      `:matches(JSXElement, JSXFragment) > JSXExpressionContainer > :matches(ConditionalExpression, LogicalExpression) > ${word}`,
    ),
    'texts-of-editor': report(
      translate,
      `CallExpression[callee.property.name=/^show(Information|Warning|Error)Message$/] > ${word}.arguments`,
      `Property[key.name=/^(placeHolder|prompt|openLabel|saveLabel|title|tooltip|message|hint)$/] > ${word}.value`,
      `Property[key.name=/^(label|description|detail)$/] > ${sentence}.value`,
    ),
  },
};
