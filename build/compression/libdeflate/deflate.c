/*
 * What libdeflate-wasm.ts holds: libdeflate's compressor at one level, with fixed memory and nothing imported. build.sh makes it of this file.
 *
 * A content comes in steps of at most STEP bytes, since libdeflate itself only knows contents that lie in memory as a whole. Between steps the
 * bits that do not fill a byte stay in the bit stream; a match never reaches into the step before.
 */

#include <stdbool.h>

/* build.sh has libdeflate ask this before it marks a block as the content's last one. */
static bool is_last_step;

#include "lib/utils.c"
#include "lib/deflate_compress.c"

#define STEP (1024 * 1024)
#define EXPORT(name) __attribute__((export_name(name)))

static u8 input[STEP];
/* Blocks that do not shrink are stored, with five bytes around each, of which none is shorter than 5000 bytes but the last. */
static u8 output[STEP + STEP / 500 + 64];
static u8 arena[sizeof(struct libdeflate_compressor) + 256];
static struct libdeflate_compressor *compressor;
static struct deflate_output_bitstream stream;

static void *allocate(size_t size)
{
	return size <= sizeof(arena) ? arena : NULL;
}

static void release(void *allocated)
{
	(void)allocated;
}

EXPORT("input") u8 *input_address(void) { return input; }
EXPORT("output") u8 *output_address(void) { return output; }
EXPORT("step") size_t step_size(void) { return STEP; }

/* To be called once, before all else. */
EXPORT("initialize") void initialize(void)
{
	libdeflate_set_memory_allocator(allocate, release);
	compressor = libdeflate_alloc_compressor(LEVEL);
}

/*
 * Compresses the first `size` bytes of `input`; returns how many bytes of `output` they make. The step after a last one starts another
 * content. Not for an empty last step, which only an empty content has: its deflate stream is longer than itself.
 */
EXPORT("deflate") size_t deflate(size_t size, bool last)
{
	is_last_step = last;
	stream.next = output;
	stream.end = output + sizeof(output);
	stream.overflow = false;
	(*compressor->impl)(compressor, input, size, &stream);
	if (last) {
		if (stream.bitcount > 0)
			*stream.next++ = stream.bitbuf;
		stream.bitbuf = 0;
		stream.bitcount = 0;
	}
	return stream.next - output;
}
