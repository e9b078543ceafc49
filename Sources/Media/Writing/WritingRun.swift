// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The work of the thread that writes a file. It writes packets in the order of their times, and
/// completes the file.
///
/// - Concurrency: one thread.
struct WritingRun {
    let core: WriterCore
    let muxer: any MediaMuxer
    let file: WritingFile
    /// The object that divides the stream into segments and delivers them; nil for a file.
    var segments: SegmentRun?

    consuming func run() throws(MediaWritingError) {
        var segments = segments
        var count = 0
        while let (sample, lane) = core.nextPacket() {
            let session = core.session
            switch sample {
            case .packet(let packet):
                try segments?.prepare(for: packet, of: lane)
                try muxer.write(packet, track: lane)
                core.noteWritten(packet.end, of: lane)
            case .cue(let text, let range):
                let start = max(range.start, session.start)
                let end = min(range.end, session.end)
                guard end > start else { continue }
                try muxer.write(
                    text,
                    in: MediaTimeRange(start: start - session.start, end: end - session.start),
                    track: lane)
                core.noteWritten(end - session.start, of: lane)
            case .frame, .audio: continue
            }
            count += 1
        }
        guard core.isActive else { return }
        guard count > 0 else {
            throw MediaWritingError(
                .noSamples, subject: file.subject, cause: "there is no sample in the session",
                remedy: "append samples before finishWriting")
        }
        let session = core.session
        try muxer.finish(
            at: session.end.isNumeric ? session.end - session.start : .positiveInfinity)
        if file.isInMemory {
            segments?.finish()
            if core.update({ $0.writing.commit() }) { core.update { $0.writing.complete() } }
            return
        }
        // Synchronising a large file takes seconds. The operation can be cancelled during this
        // time.
        try file.synchronize()
        guard core.update({ $0.writing.commit() }) else { return }
        try file.moveIntoPlace()
        core.update { $0.writing.complete() }
    }
}
