'use strict'

// The first process of a container ends by no signal that it does not handle. The start takes over.
if (process.pid === 1)
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => process.exit(0))

/*
 * Starts a program of this folder: `node src/programs/launch.cjs <name> …arguments`. It is JavaScript that
 * Node 12 can parse, so that it can say what is missing: Node 20 reads no TypeScript, and without
 * `npm ci` nothing else can be loaded. It starts the programs of a pack too (`npm run pack`), where
 * nothing is to be installed and nothing is compiled.
 */

const fs = require('fs')
const path = require('path')

/** In a pack, this file lies beside the Worker. */
const IS_PACK = fs.existsSync(path.join(__dirname, 'worker.json'))
const ROOT = IS_PACK ? __dirname : path.join(__dirname, '../..')
const PACKAGES = path.join(ROOT, 'node_modules')

/** The first version that runs TypeScript files without an option; in 23, that is 23.6. */
const NEEDED = '22.18'

/** Returns the reason why the program can't run here, and what to do; `undefined` when it can. */
function findProblem() {
  const missing = IS_PACK ? [] : findMissingPackages()
  if (missing.length > 0) {
    const others = missing.length > 1 ? ' and ' + (missing.length - 1) + ' more' : ''
    return 'Packages are missing (' + missing[0] + others + '): run npm ci.'
  }
  if (process.features.typescript && require('module').registerHooks) return undefined
  const what = 'Node ' + NEEDED + ' or later is needed, this is ' + process.versions.node + ': '
  if (IS_PACK) return what + 'install it.'
  // `npm ci` installs this file, and npm puts it first on the PATH of its scripts.
  return fs.existsSync(path.join(PACKAGES, '.bin/node'))
    ? what + 'start with npm, which uses the Node that npm ci has installed.'
    : what +
        'install it, or let npm run the install script of the package "node" (npm ci without --ignore-scripts).'
}

function findMissingPackages() {
  const text = fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')
  const manifest = JSON.parse(text)
  const names = Object.keys(Object.assign({}, manifest.dependencies, manifest.devDependencies))
  return names.filter((name) => !fs.existsSync(path.join(PACKAGES, name, 'package.json')))
}

/** Other users must not be able to add code to the compile cache, so it gets this umask. */
function useCompileCache() {
  process.umask(0o077)
  // Compiling Wrangler and Miniflare takes seconds. The cache is not in the common folder for
  // temporary files, where other users may write.
  require('module').enableCompileCache(path.join(PACKAGES, '.cache/node'))
}

function inCheckout(name) {
  useCompileCache()
  const source = path.join(__dirname, name + '.ts')
  process.argv[1] = source
  return require('./built.ts').findBuilt(ROOT, name) || source
}

const problem = findProblem()
if (problem === undefined) {
  const [name] = process.argv.splice(2, 1)
  const program = IS_PACK
    ? path.join(ROOT, 'programs/src/programs', name + '.js')
    : inCheckout(name)
  void import(require('url').pathToFileURL(program).href)
} else {
  console.error(problem)
  process.exitCode = 1
}
