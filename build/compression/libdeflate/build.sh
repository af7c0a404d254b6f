#!/bin/sh
# Makes libdeflate-wasm.ts of libdeflate's released source and deflate.c, byte for byte the one beside this script. Only needed for another
# libdeflate or another level, which changes the bytes of every archive built anew.
#
#   build/compression/libdeflate/build.sh     needs clang 14, lld 14 (Debian bookworm: clang-14 lld-14), curl, tar
set -eu

version=1.23
sha256=1ab18349b9fb0ce8a0ca4116bded725be7dcbfa709e19f6f983d99df1fb8b25f
source=https://deb.debian.org/debian/pool/main/libd/libdeflate/libdeflate_$version.orig.tar.gz

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

curl -sSfo source.tar.gz "$source"
echo "$sha256  source.tar.gz" | sha256sum -c --quiet
tar -xzf source.tar.gz --strip-components=1

# Without the levels 10 to 12, whose tables take 9 MB; and a block that ends with its step is the last one only in a content's last step.
sed -i \
  -e 's/^#define SUPPORT_NEAR_OPTIMAL_PARSING.*/#define SUPPORT_NEAR_OPTIMAL_PARSING 0/' \
  -e 's/in_next == in_end);/is_last_step \&\& in_next == in_end);/' lib/deflate_compress.c

# Level 4: of PHP code it leaves 4 % more than 6, in three quarters of the time.
cp "$here/deflate.c" .
clang-14 --target=wasm32 -O3 -DFREESTANDING -DLEVEL=4 -mbulk-memory -msimd128 -I. -nostdlib \
  -Wl,--no-entry -Wl,--strip-all -Wl,-z,stack-size=65536 -o deflate.wasm deflate.c

{
  echo "// libdeflate $version by Eric Biggers (its licence: COPYING), compiled to WebAssembly by build.sh, in base64. SHA-256 of the bytes:"
  echo "// $(sha256sum deflate.wasm | cut -d ' ' -f 1)"
  echo
  echo "export const libdeflateWasm = '$(base64 -w 0 deflate.wasm)';"
} > "$here/libdeflate-wasm.ts"
cp COPYING "$here/COPYING"
