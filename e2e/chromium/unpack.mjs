// Unpacks the Chromium of @sparticuz/chromium into node_modules/.browser.
import { chmod, copyFile, mkdir, rm } from 'node:fs/promises'
import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { createBrotliDecompress } from 'node:zlib'
import { extract } from 'tar-fs'

const here = fileURLToPath(new URL('.', import.meta.url))
const packed = join(here, 'node_modules', '@sparticuz', 'chromium', 'bin')
const browser = join(here, 'node_modules', '.browser')
const unpack = (name, to) => pipeline(createReadStream(join(packed, name)), createBrotliDecompress(), to)

await rm(browser, { recursive: true, force: true })
await mkdir(browser, { recursive: true })
await unpack('chromium.br', createWriteStream(join(browser, 'headless_shell')))
for (const name of ['al2023', 'fonts', 'swiftshader']) {
  await unpack(name + '.tar.br', extract(browser))
}
// The fonts.conf of the package names folders of AWS Lambda.
for (const name of ['chromium', 'fonts.conf']) {
  await copyFile(join(here, name), join(browser, name))
}
for (const name of ['chromium', 'headless_shell']) {
  await chmod(join(browser, name), 0o755)
}
