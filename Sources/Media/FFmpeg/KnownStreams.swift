// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import Synchronization

/// The streams of a file as the last opening has probed them. If the file is opened again and has
/// not changed, it is not probed again.
///
/// Probing decodes the first frames, and takes most of the time of opening. A composition of many
/// files opens each of them repeatedly, because only some of them stay open.
///
/// Only MP4 and QuickTime files with H.264, HEVC or no video are kept. They state the times and the
/// durations of all packets. In other formats, FFmpeg derives some of these from what it probed, so
/// that packets would differ from opening to opening.
///
/// - Concurrency: any thread.
final class KnownStreams: Sendable {
    private let last = Mutex<(file: FileIdentity, streams: ProbedStreams)?>(nil)

    private static let codecs = [AV_CODEC_ID_H264, AV_CODEC_ID_HEVC]

    /// Keeps the streams of a container that has been probed.
    func learn(_ context: UnsafeMutablePointer<AVFormatContext>, of file: FileIdentity?) {
        guard let file, Self.statesTimes(context), let streams = ProbedStreams(context) else {
            return
        }
        last.withLock { $0 = (file, streams) }
    }

    /// Describes the streams of a container that has not been probed. Returns false if it must be
    /// probed, because the file is not known or has changed.
    func describe(
        _ context: UnsafeMutablePointer<AVFormatContext>, of file: FileIdentity?
    ) -> Bool {
        guard let file,
            let known = last.withLock({ $0?.file == file ? $0?.streams : nil })
        else { return false }
        return known.describe(context)
    }

    private static func statesTimes(_ context: UnsafeMutablePointer<AVFormatContext>) -> Bool {
        guard String(cString: context.pointee.iformat.pointee.name).hasPrefix("mov,") else {
            return false
        }
        return (0..<Int(context.pointee.nb_streams)).allSatisfy { index in
            guard let parameters = context.pointee.streams[index]?.pointee.codecpar else {
                return false
            }
            return parameters.pointee.codec_type != AVMEDIA_TYPE_VIDEO
                || codecs.contains(parameters.pointee.codec_id)
        }
    }
}
