// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import Testing

@testable import PlayheadFFmpeg

/// Channels that a device does not have.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct DownmixTests {
    private let folder = TemporaryFolder()

    /// Returns the largest sample of each output channel, for a file in which one channel has a
    /// tone of amplitude 0.5.
    private func peaks(
        _ channel: String, of layout: [String], format: AudioFormat
    ) throws -> [Float] {
        let path = folder.appending("\(channel).wav").path
        let tones = layout.map { $0 == channel ? "0.5*sin(2*PI*400*t)" : "0" }
            .joined(separator: "|")
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i",
            "aevalsrc=\(tones):s=48000:d=0.2:c=\(layout.joined(separator: "+"))",
            "-c:a", "pcm_f32le", path,
        ])
        let reader = try AssetReader(asset: Opening.asset(path))
        let output = try reader.addAudioOutput(format: format)
        var peaks = [Float](repeating: 0, count: format.channelCount)
        while let buffer = try output.copyNextSampleBuffer() {
            buffer.withSamples { samples in
                for (index, sample) in samples.enumerated() {
                    peaks[index % peaks.count] = max(peaks[index % peaks.count], abs(sample))
                }
            }
        }
        return peaks
    }

    /// 0.7071: ITU-R BS.775-3, table 2.
    private static let surround: Float = 0.5 * 0.7071

    @Test(arguments: [
        ("TFL", [surround, 0]), ("TFR", [0, surround]), ("TBL", [surround, 0]),
        ("TBR", [0, surround]), ("TC", [0.25, 0.25]), ("LFE", [0, 0]), ("FL", [0.5, 0]),
        ("FC", [surround, surround]),
    ])
    func `channels above the listener are heard in stereo`(
        channel: String, expected: [Float]
    ) throws {
        let layout = ["FL", "FR", "FC", "LFE", "BL", "BR", "TC", "TFL", "TFR", "TBL", "TBR"]
        let peaks = try peaks(channel, of: layout, format: .stereo(sampleRate: 48000))
        for (peak, level) in zip(peaks, expected) {
            #expect(abs(peak - level) < 0.01, "\(channel): \(peaks)")
        }
    }
}
