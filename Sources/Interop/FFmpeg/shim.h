// SPDX-License-Identifier: Apache-2.0
// FFmpeg 5.1 and later. Function-like and cast macros are not imported into Swift; they get inline
// accessors here. Nothing else does.
#pragma once
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/channel_layout.h>
#include <libavutil/display.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>

static inline int64_t ph_AV_NOPTS_VALUE(void) { return AV_NOPTS_VALUE; }
static inline int ph_AVERROR(int error) { return AVERROR(error); }
static inline int ph_AVERROR_EOF(void) { return AVERROR_EOF; }
static inline int ph_AVERROR_EXIT(void) { return AVERROR_EXIT; }
static inline int ph_AVERROR_INVALIDDATA(void) { return AVERROR_INVALIDDATA; }
