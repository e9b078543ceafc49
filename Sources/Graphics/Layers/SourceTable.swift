// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTextures
import PlayheadTime

/// The sources that a scene shows, and the picture of each that is in textures.
///
/// Pixel buffers are not kept: decoders need their memory back as soon as it is uploaded.
///
/// - Concurrency: render thread.
final class SourceTable {
    private final class Entry {
        let source: any PixelBufferSource
        var identifier: UInt64?
        var displayTime = MediaTime.invalid
        var itemTime = MediaTime.invalid
        var lastPull = 0
        var lastProblem: TextureError?

        init(_ source: any PixelBufferSource) { self.source = source }
    }

    private let textures: TextureCache
    private var entries: [ObjectIdentifier: Entry] = [:]
    private var pullCount = 0

    init(textures: TextureCache) {
        self.textures = textures
    }

    /// Asks every source in sight once, and uploads what is new.
    func pull(_ scene: Scene, hostTime: MediaTime, report: inout RenderReport) {
        pullCount += 1
        let start = HostClock.nanoseconds
        let uploadedBefore = textures.uploadNanoseconds
        var isFirst = true
        for layer in scene.layers where !layer.isHidden {
            guard case .video(let source) = layer.content else { continue }
            let entry = entry(for: source)
            if entry.lastPull != pullCount { pull(entry, hostTime: hostTime, report: &report) }
            if isFirst {
                report.itemTime = entry.itemTime
                report.displayTime = entry.displayTime
                isFirst = false
            }
        }
        let uploaded = textures.uploadNanoseconds - uploadedBefore
        report.pullNanoseconds = HostClock.nanoseconds - start - uploaded
        if entries.contains(where: { $0.value.lastPull != pullCount }) {
            entries = entries.filter { $0.value.lastPull == pullCount }
        }
    }

    /// The textures of the picture that a source shows now.
    func picture(of source: any PixelBufferSource) -> PictureTextures? {
        entries[ObjectIdentifier(source)]?.identifier.flatMap {
            textures.textures(forIdentifier: $0)
        }
    }

    private func entry(for source: any PixelBufferSource) -> Entry {
        let key = ObjectIdentifier(source)
        if let entry = entries[key] { return entry }
        let entry = Entry(source)
        entries[key] = entry
        return entry
    }

    private func pull(_ entry: Entry, hostTime: MediaTime, report: inout RenderReport) {
        entry.lastPull = pullCount
        entry.itemTime = entry.source.itemTime(forHostTime: hostTime)
        let isUploaded =
            entry.identifier.map { textures.textures(forIdentifier: $0) != nil } ?? false
        guard !isUploaded || entry.source.hasNewPixelBuffer(forItemTime: entry.itemTime),
            let (buffer, displayTime) = entry.source.copyPixelBuffer(forItemTime: entry.itemTime)
        else { return }
        do throws(TextureError) {
            _ = try textures.textures(for: buffer)
            report.hasNewPicture = report.hasNewPicture || entry.identifier != buffer.identifier
            entry.identifier = buffer.identifier
            entry.displayTime = displayTime
            entry.lastProblem = nil
        } catch {
            if entry.lastProblem != error { report.problems.append(.picture(error)) }
            entry.lastProblem = error
        }
    }
}
