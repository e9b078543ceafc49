// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadConversion
import PlayheadGL
import PlayheadTextures
import PlayheadTime

/// The sources that a scene shows, and the picture of each.
///
/// Pixel buffers are not kept once they are uploaded, for decoders need their memory back; but where
/// the processor converts, the one that is shown is: its size on the target may change, and the
/// frames of a decoder on software GL are plain memory.
///
/// - Concurrency: render thread.
final class SourceTable {
    private final class Entry {
        let source: any PixelBufferSource
        /// The same, where it lies over a film.
        let overlay: (any OverlaySource)?
        /// Where its picture stands.
        var overlayRect = LayerRect.unit
        var identifier: UInt64?
        /// The picture, where it is not in textures.
        var buffer: PixelBuffer?
        var displayTime = MediaTime.invalid
        /// Whether its picture is another than in the frame before.
        var isNew = false
        /// When the picture was decoded.
        var decodedHostTime: Int64?
        var itemTime = MediaTime.invalid
        /// From the time before to that one, or a little less, lest a picture be left out for a loop that
        /// is not quite even; 0 after a jump.
        var step = MediaTime.zero
        var lastPull = 0
        /// Layers that showed it when it was last pulled.
        var useCount = 0
        var lastProblem: TextureError?
        /// Whether a layer shows its fields one by one.
        var showsFields = false
        var field = Deinterlacer.Field.first
        /// The frame before, where it came just before.
        var previous: UInt64?
        /// Half of the time between the last two frames, in seconds.
        var fieldDuration = SourceTable.usualFieldDuration

        init(_ source: any PixelBufferSource) {
            self.source = source
            overlay = source as? any OverlaySource
        }
    }

    /// Fields of 50 Hz, until two frames have shown otherwise.
    private static let usualFieldDuration = 0.02
    /// Frames further apart than this, in seconds, do not follow each other: between them was a cut.
    private static let longestFrame = 0.1

    /// Between two times further apart than this was a jump, or a rest.
    private static let longestStep = MediaTime(value: 1, timescale: 2)

    private let textures: TextureCache
    private let deinterlacer: Deinterlacer
    private let keepsBuffers: Bool
    /// For the pull that is under way.
    private var keepsPictures = false
    private var entries: [ObjectIdentifier: Entry] = [:]
    private var pullCount = 0
    /// Whose picture the report is to tell of, and of which it tells so far.
    private var observed: ObjectIdentifier?
    private var told: ObjectIdentifier?
    private static let manyUses = 8

    /// - Parameter keepsBuffers: whether pictures that the processor can convert stay in memory.
    init(textures: TextureCache, deinterlacer: Deinterlacer, keepsBuffers: Bool) {
        self.textures = textures
        self.deinterlacer = deinterlacer
        self.keepsBuffers = keepsBuffers
    }

    /// Asks every source in sight once, and uploads what is new.
    ///
    /// - Parameters:
    ///   - keepsPictures: whether sources that show a picture go on showing it.
    ///   - observed: whose picture the report tells of; nil, or one that is not in sight, for the first.
    func pull(
        _ scene: Scene, hostTime: MediaTime, keepsPictures: Bool = false,
        observing observed: (any PixelBufferSource)? = nil, report: inout RenderReport
    ) {
        self.keepsPictures = keepsPictures
        self.observed = observed.map { ObjectIdentifier($0) }
        pullCount += 1
        let start = HostClock.nanoseconds
        let uploadedBefore = textures.uploadNanoseconds
        told = nil
        // One layer that shows fields decides how the picture is held for all of them.
        for entry in entries.values { entry.showsFields = false }
        scene.forEachVideo { source, layer in
            if layer.deinterlacing != .none { entry(for: source).showsFields = true }
        }
        scene.forEachVideo { source, _ in
            let entry = entry(for: source)
            if entry.lastPull != pullCount { pull(entry, hostTime: hostTime, report: &report) }
            entry.useCount += 1
            if entry.overlay == nil { tell(of: entry, in: &report) }
        }
        let uploaded = textures.uploadNanoseconds - uploadedBefore
        report.pullNanoseconds = HostClock.nanoseconds - start - uploaded
        if entries.contains(where: { $0.value.lastPull != pullCount }) {
            entries = entries.filter { $0.value.lastPull == pullCount }
        }
    }

    /// Ends a frame that was drawn.
    func endFrame() { deinterlacer.endFrame() }

    /// Gives up what the last frame drawn had no use for.
    func trim() { deinterlacer.trim() }

    private func tell(of entry: Entry, in report: inout RenderReport) {
        let source = ObjectIdentifier(entry.source)
        guard told == nil || (source == observed && told != observed) else { return }
        if told == nil { report.sceneTime = entry.itemTime }
        told = source
        report.itemTime = entry.itemTime
        report.displayTime = entry.displayTime
        report.decodedHostTime = entry.decodedHostTime
        report.hasNewObservedPicture = entry.isNew
    }

    /// Whether so many layers show a source that its planes, uploaded once, cost less than what the
    /// processor would convert for each of them.
    func isManifold(_ content: Layer.Content) -> Bool {
        guard case .video(let source) = content else { return false }
        return entries[ObjectIdentifier(source)].map { $0.useCount > Self.manyUses } ?? false
    }

    /// A source that lies over a film, and where its picture stands; nil for others.
    func overlay(
        _ source: any PixelBufferSource
    ) -> (source: any OverlaySource, rect: LayerRect)? {
        guard let entry = entries[ObjectIdentifier(source)], let overlay = entry.overlay else {
            return nil
        }
        return (overlay, entry.overlayRect)
    }

    /// Goes through the sources whose pictures are in memory: with each, its picture, the item time for
    /// which it was asked for last, and how much later it is likely to be asked again.
    func forEachBuffer(
        _ body: (any PixelBufferSource, PixelBuffer, MediaTime, MediaTime) -> Void
    ) {
        for entry in entries.values {
            if let buffer = entry.buffer {
                body(entry.source, buffer, entry.itemTime, entry.step)
            }
        }
    }

    /// The picture that a source shows now.
    func picture(
        of source: any PixelBufferSource, _ deinterlacing: Deinterlacing
    ) throws(GLError) -> LayerPicture? {
        guard let entry = entries[ObjectIdentifier(source)] else { return nil }
        if let buffer = entry.buffer { return .buffer(buffer) }
        guard let picture = entry.identifier.flatMap({ textures.textures(forIdentifier: $0) })
        else { return nil }
        if deinterlacing == .none { return .textures(picture) }
        let previous = entry.previous.flatMap { textures.textures(forIdentifier: $0) }
        return .textures(
            try deinterlacer.picture(
                picture, previous: previous, field: entry.field, deinterlacing))
    }

    /// Works out which field is to be seen.
    private func chooseField(_ entry: Entry, report: inout RenderReport) {
        guard entry.showsFields, entry.itemTime.isNumeric, entry.displayTime.isNumeric else {
            return
        }
        let age = (entry.itemTime - entry.displayTime).seconds
        let field: Deinterlacer.Field = age < entry.fieldDuration - 1e-6 ? .first : .second
        if field != entry.field { report.hasNewField = true }
        entry.field = field
    }

    /// Notes which frame comes before another one.
    private func follow(_ entry: Entry, _ identifier: UInt64, at displayTime: MediaTime) {
        guard identifier != entry.identifier else { return }
        entry.previous = nil
        guard let last = entry.identifier, displayTime.isNumeric, entry.displayTime.isNumeric else {
            return
        }
        let seconds = (displayTime - entry.displayTime).seconds
        guard seconds > 0, seconds < Self.longestFrame else { return }
        entry.previous = last
        entry.fieldDuration = seconds / 2
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
        entry.useCount = 0
        entry.isNew = false
        let former = entry.itemTime
        entry.itemTime = entry.source.itemTime(forHostTime: hostTime)
        let step = entry.itemTime - former
        entry.step =
            step.isNumeric && step.magnitude <= Self.longestStep
            ? step.multiplied(by: 7, over: 8) : .zero
        defer { chooseField(entry, report: &report) }
        if entry.showsFields, let buffer = entry.buffer, buffer.hasFields {
            entry.buffer = nil
            _ = try? textures.textures(for: buffer)
        }
        let isUploaded =
            entry.buffer != nil
            || entry.identifier.map { textures.textures(forIdentifier: $0) != nil } ?? false
        guard
            !isUploaded
                || !keepsPictures && entry.source.hasNewPixelBuffer(forItemTime: entry.itemTime),
            let (buffer, displayTime) = entry.source.copyPixelBuffer(forItemTime: entry.itemTime)
        else { return }
        do throws(TextureError) {
            let isKept =
                keepsBuffers && PictureConverter.canConvert(buffer)
                && !(entry.showsFields && buffer.hasFields)
            if !isKept { _ = try textures.textures(for: buffer) }
            entry.buffer = isKept ? buffer : nil
            let isNew = entry.identifier != buffer.identifier
            if let overlay = entry.overlay {
                report.hasNewOverlay = report.hasNewOverlay || isNew
                entry.overlayRect = overlay.overlayRect
            } else {
                report.hasNewPicture = report.hasNewPicture || isNew
            }
            follow(entry, buffer.identifier, at: displayTime)
            entry.isNew = isNew
            entry.identifier = buffer.identifier
            entry.displayTime = displayTime
            entry.decodedHostTime = buffer.hostTime
            entry.lastProblem = nil
        } catch {
            if entry.lastProblem != error { report.problems.append(.picture(error)) }
            entry.lastProblem = error
        }
    }
}

extension PixelBuffer {
    fileprivate var hasFields: Bool { attachments.fieldOrder != .progressive }
}
