import { version } from 'esbuild'

// esbuild starts its process in the folder in which it was loaded. Tests that work in a folder of
// their own, and remove it, share this process with tests that build.
if (version === '') throw new Error('esbuild is not loaded')
