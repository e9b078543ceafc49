// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import Glibc
import PlayheadAssets

extension AssetResourceLoader {
    /// Makes a format context open all files through this loader.
    func guardOpening(of context: UnsafeMutablePointer<AVFormatContext>) {
        context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
        context.pointee.io_open = { context, result, url, flags, options in
            guard let loader = AssetResourceLoader.of(context), let url, let result,
                flags & AVIO_FLAG_WRITE == 0
            else { return ph_AVERROR(EPERM) }
            switch loader.openChild(
                String(cString: url), options: Options.Values(options?.pointee))
            {
            case .success(let input):
                result.pointee = input
                return 0
            case .failure(let error):
                return AssetResourceLoader.code(of: error)
            }
        }
        context.pointee.io_close2 = { context, input in
            AssetResourceLoader.of(context)?.close(input)
            return 0
        }
    }

    private static func of(_ context: UnsafeMutablePointer<AVFormatContext>?)
        -> AssetResourceLoader?
    {
        context?.pointee.opaque.map {
            Unmanaged<AssetResourceLoader>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// Returns the error code for FFmpeg. The error itself is stored in this object.
    private static func code(of error: MediaError) -> Int32 {
        switch error.code {
        case .notAllowed: ph_AVERROR(EPERM)
        case .limitExceeded, .cancelled, .timedOut: FFmpegError.interrupted.rawValue
        case .outOfResources: FFmpegError.outOfMemory.rawValue
        case .damaged: FFmpegError.invalidData.rawValue
        default: ph_AVERROR(EIO)
        }
    }
}
