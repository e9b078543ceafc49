// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// Decodes everything that a file contains, and records the result.
struct FileSurvey {
    private(set) var outcome = SurveyProof.Outcome()

    /// The maximum time for which a file is read. Videos may be long, but problems appear within
    /// this time.
    private static let readingNanoseconds: Int64 = 20_000_000_000

    init(_ path: String) {
        let start = HostClock.nanoseconds
        do throws(MediaError) {
            let reader: AssetReader
            do {
                reader = try AssetReader(asset: URLAsset(path))
                outcome.openingSeconds = Double(HostClock.nanoseconds - start) / 1e9
            } catch {
                outcome.openingSeconds = Double(HostClock.nanoseconds - start) / 1e9
                throw error
            }
            try read(reader, until: HostClock.nanoseconds + Self.readingNanoseconds)
        } catch {
            outcome.refusal = error.description
        }
        outcome.memory = Self.peakMemory
    }

    private mutating func read(_ reader: AssetReader, until end: Int64) throws(MediaError) {
        var failure: MediaError?
        var video: AssetReaderTrackOutput<VideoFrame>?
        var audio: AssetReaderTrackOutput<AudioBuffer>?
        // If one track cannot be decoded, the other is still read.
        do throws(MediaError) {
            if reader.description.preferredTrack(of: .video) != nil {
                video = try reader.addVideoOutput()
            }
        } catch { failure = error }
        do throws(MediaError) {
            if reader.description.preferredTrack(of: .audio) != nil {
                audio = try reader.addAudioOutput(format: .stereo(sampleRate: 48000))
            }
        } catch { failure = error }
        // Read alternately, so that neither accumulates in memory.
        while video != nil || audio != nil, HostClock.nanoseconds < end {
            do throws(MediaError) {
                if let output = video {
                    if try output.copyNextSampleBuffer() == nil {
                        outcome.errors += output.decodeErrorCount
                        video = nil
                    } else {
                        outcome.pictures += 1
                    }
                }
            } catch {
                failure = error
                video = nil
            }
            do throws(MediaError) {
                if let output = audio {
                    if let buffer = try output.copyNextSampleBuffer() {
                        outcome.samples += buffer.frameCount
                    } else {
                        outcome.errors += output.decodeErrorCount
                        audio = nil
                    }
                }
            } catch {
                failure = error
                audio = nil
            }
        }
        if let failure { throw failure }
    }

    /// The peak memory of this program, in KiB: proc(5), /proc/self/status.
    private static var peakMemory: Int {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let kibibytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first
        else { return 0 }
        return (Int(kibibytes) ?? 0) << 10
    }
}
