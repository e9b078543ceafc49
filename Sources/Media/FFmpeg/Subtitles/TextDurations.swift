// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg

/// The durations of the text tracks of MP4, as the index of the file states them.
///
/// If probing reads no packet of a track, FFmpeg replaces the track's duration by that of the file
/// (confirmed in 5.1). The last sample of the track would last until then.
struct TextDurations {
    /// For each text track, the number of samples in its index and its duration.
    private var known: [Int: (count: Int32, duration: Int64)] = [:]

    /// Takes the durations before probing.
    init(_ context: UnsafeMutablePointer<AVFormatContext>) {
        for index in 0..<Int(context.pointee.nb_streams) {
            guard let stream = context.pointee.streams[index], stream.hasTextSamples,
                stream.pointee.duration > 0
            else { continue }
            known[index] = (avformat_index_get_entries_count(stream), stream.pointee.duration)
        }
    }

    /// Restores the durations after probing, unless further samples have been found.
    func restore(in context: UnsafeMutablePointer<AVFormatContext>) {
        for (index, (count, duration)) in known where index < Int(context.pointee.nb_streams) {
            guard let stream = context.pointee.streams[index],
                avformat_index_get_entries_count(stream) == count
            else { continue }
            stream.pointee.duration = duration
        }
    }
}
