import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** What a user reads is looked up in the language of the editor: see test/tools/translations.mjs. */
const translate = "A text that users read is l10n.t('…'), so that it can be translated.";
const pattern = (text) =>
  `:matches(Literal[value=${text}], TemplateLiteral:has(TemplateElement[value.raw=${text}]))`;
const word = pattern('/[a-z]{2}/i');
const sentence = pattern('/[a-z] [a-z]/i');

const extractable = {
  selector:
    'CallExpression[callee.property.name="t"]:matches([callee.object.name="l10n"], [callee.object.property.name="l10n"]) > :not(Literal).arguments:first-child',
  message: 'Texts are collected from the code: the first argument of l10n.t is the text itself.',
};

const textsOfPage = [
  { selector: 'JSXText[value=/[a-z]{2}/i]', message: translate },
  {
    selector: `JSXAttribute[name.name=/^(title|placeholder|alt|aria-(label|description|roledescription|valuetext))$/] > ${word}`,
    message: translate,
  },
  {
    selector: `JSXAttribute[name.name=/^(title|placeholder|alt|aria-(label|description|roledescription|valuetext))$/] > JSXExpressionContainer > ${word}`,
    message: translate,
  },
  {
    selector: 'JSXAttribute[name.name=/^(name|label|what|note|loading)$/] > Literal[value=/^[A-Z]|\\s/]',
    message: translate,
  },
  { selector: `:matches(JSXElement, JSXFragment) > JSXExpressionContainer > ${word}`, message: translate },
  {
    selector: `:matches(JSXElement, JSXFragment) > JSXExpressionContainer > :matches(ConditionalExpression, LogicalExpression) > ${word}`,
    message: translate,
  },
];

const textsOfEditor = [
  {
    selector: `CallExpression[callee.property.name=/^show(Information|Warning|Error)Message$/] > ${word}.arguments`,
    message: translate,
  },
  {
    selector: `Property[key.name=/^(placeHolder|prompt|openLabel|saveLabel|title|tooltip|message|hint)$/] > ${word}.value`,
    message: translate,
  },
  { selector: `Property[key.name=/^(label|description|detail)$/] > ${sentence}.value`, message: translate },
];

export default tseslint.config(
  {
    ignores: [
      'dist',
      '.tsbuild',
      '.artifacts',
      'node_modules',
      'media/**/.agentjet',
      'test/**/fixtures/**',
      'test/workspaces/**',
    ],
  },
  js.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/dot-notation': 'off',
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      eqeqeq: 'error',
      'no-duplicate-imports': 'error',
    },
  },
  {
    files: ['src/*/webview/**/*.{ts,tsx}'],
    rules: { 'no-restricted-syntax': ['error', extractable, ...textsOfPage] },
  },
  {
    files: ['src/*/editor/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', extractable, ...textsOfEditor] },
  },
  {
    files: ['test/**/*.ts'],
    rules: { 'max-lines-per-function': 'off', '@typescript-eslint/no-unused-expressions': 'off' },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        Buffer: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        fetch: 'readonly',
        AbortController: 'readonly',
        AbortSignal: 'readonly',
        performance: 'readonly',
      },
    },
  },
);
