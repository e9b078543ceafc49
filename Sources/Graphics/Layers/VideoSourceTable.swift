// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadConversion
import PlayheadGL
import PlayheadTextures
import PlayheadTime

/// The sources that a scene shows, and the current frame of each.
///
/// Pixel buffers are released once they are uploaded, because decoders need their memory. If the
/// CPU converts, the displayed buffer is kept, because its size on the target may change. This
/// is possible because with software OpenGL, decoders write to plain memory.
///
/// - Concurrency: render thread.
final class VideoSourceTable {
    private final class Entry {
        let source: any PixelBufferSource
        /// The source, if it is an overlay.
        let overlay: (any OverlaySource)?
        /// The position of the overlay's image.
        var overlayRect = LayerRect.unit
        var identifier: UInt64?
        /// The frame; nil if it is in textures.
        var buffer: PixelBuffer?
        var displayTime = MediaTime.invalid
        /// A Boolean value that indicates whether the source's frame differs from the frame that
        /// was drawn last.
        var isNew = false
        /// The host time when the frame was decoded.
        var decodedHostTime: Int64?
        var itemTime = MediaTime.invalid
        /// The time between the last two requests, or slightly less, so that an uneven loop does
        /// not skip a frame; 0 after a jump.
        var step = MediaTime.zero
        var lastPull = 0
        /// The number of layers that showed the source when it was last pulled.
        var useCount = 0
        var lastProblem: TextureError?
        /// A Boolean value that indicates whether a layer shows the fields of the source one by
        /// one.
        var showsFields = false
        var field = Deinterlacer.Field.first
        /// The identifier of the frame directly before the current one, if it is known.
        var previous: UInt64?
        /// Half of the time between the last two frames, in seconds.
        var fieldDuration = VideoSourceTable.usualFieldDuration

        init(_ source: any PixelBufferSource) {
            self.source = source
            overlay = source as? any OverlaySource
        }
    }

    /// The duration of a field, in seconds, that is assumed until the times of two frames are
    /// known: 50 fields per second.
    private static let usualFieldDuration = 0.02
    /// The maximum duration of a frame, in seconds. If two frames are further apart, the video is
    /// treated as if there were a cut between them.
    private static let longestFrame = 0.1

    /// The longest time between two requests that is not treated as a jump or a pause.
    private static let longestStep = MediaTime(value: 1, timescale: 2)

    private let textures: TextureCache
    private let deinterlacer: Deinterlacer
    private let keepsBuffers: Bool
    /// The `keepsPictures` parameter of the current pull.
    private var keepsPictures = false
    private var entries: [ObjectIdentifier: Entry] = [:]
    private var pullCount = 0
    /// The number of times that sources got their first frame, or were removed.
    private(set) var readinessCount = 0
    /// The source whose frame the report should describe, and the source whose frame it describes
    /// so far; nil for none.
    private var observed: ObjectIdentifier?
    private var reported: ObjectIdentifier?
    private static let manyUses = 8

    /// Creates a table.
    ///
    /// - Parameter keepsBuffers: true to keep frames in memory if the CPU can convert them.
    init(textures: TextureCache, deinterlacer: Deinterlacer, keepsBuffers: Bool) {
        self.textures = textures
        self.deinterlacer = deinterlacer
        self.keepsBuffers = keepsBuffers
    }

    /// Requests a frame from every visible source once, and uploads new ones.
    ///
    /// - Parameters:
    ///   - keepsPictures: true if sources keep the frame that they have shown.
    ///   - observed: the source whose frame is reported. If it is nil, or if the source is not
    ///     visible, the frame of the first source is reported.
    func pull(
        _ scene: Scene, hostTime: MediaTime, keepsPictures: Bool = false,
        observing observed: (any PixelBufferSource)? = nil, report: inout RenderReport
    ) {
        self.keepsPictures = keepsPictures
        self.observed = observed.map { ObjectIdentifier($0) }
        pullCount += 1
        let start = HostClock.nanoseconds
        let uploadedBefore = textures.uploadNanoseconds
        reported = nil
        // If one layer shows fields, the frame is in textures for all layers that show the source.
        for entry in entries.values { entry.showsFields = false }
        scene.forEachVideo { source, layer in
            if layer.deinterlacing != .none { entry(for: source).showsFields = true }
        }
        scene.forEachVideo { source, _ in
            let entry = entry(for: source)
            if entry.lastPull != pullCount { pull(entry, hostTime: hostTime, report: &report) }
            entry.useCount += 1
            if entry.overlay == nil { note(entry, in: &report) }
        }
        let uploaded = textures.uploadNanoseconds - uploadedBefore
        report.pullNanoseconds = HostClock.nanoseconds - start - uploaded
        if entries.contains(where: { $0.value.lastPull != pullCount }) {
            entries = entries.filter { $0.value.lastPull == pullCount }
            readinessCount += 1
        }
    }

    /// Ends a frame that was drawn.
    func endFrame() { deinterlacer.endFrame() }

    /// Releases objects that the last drawn frame did not use.
    func trim() { deinterlacer.trim() }

    private func note(_ entry: Entry, in report: inout RenderReport) {
        let source = ObjectIdentifier(entry.source)
        guard reported == nil || (source == observed && reported != observed) else { return }
        if reported == nil { report.sceneTime = entry.itemTime }
        reported = source
        report.itemTime = entry.itemTime
        report.displayTime = entry.displayTime
        report.decodedHostTime = entry.decodedHostTime
        report.hasNewObservedPicture = entry.isNew
    }

    /// Returns whether so many layers show a source that uploading its planes once costs less than
    /// a conversion on the CPU for each layer.
    func isUsedByMany(_ content: Layer.Content) -> Bool {
        guard case .video(let source) = content else { return false }
        return entries[ObjectIdentifier(source)].map { $0.useCount > Self.manyUses } ?? false
    }

    /// Returns a source as an overlay with the position of its image; nil for a source that is not
    /// an overlay.
    func overlay(
        _ source: any PixelBufferSource
    ) -> (source: any OverlaySource, rect: LayerRect)? {
        guard let entry = entries[ObjectIdentifier(source)], let overlay = entry.overlay else {
            return nil
        }
        return (overlay, entry.overlayRect)
    }

    /// Calls `body` with each source whose frame is in memory, its frame, the item time of the last
    /// request, and the expected interval until the next one.
    func forEachBuffer(
        _ body: (any PixelBufferSource, PixelBuffer, MediaTime, MediaTime) -> Void
    ) {
        for entry in entries.values {
            if let buffer = entry.buffer {
                body(entry.source, buffer, entry.itemTime, entry.step)
            }
        }
    }

    /// Calls `body` with each source whose frame is in textures, the item time of the last request,
    /// and the expected interval until the next one. Sources that are deinterlaced are left out,
    /// because they need the textures of the previous frame, too.
    func forEachUploaded(
        _ body: (any PixelBufferSource, MediaTime, MediaTime) -> Void
    ) {
        for entry in entries.values
        where entry.buffer == nil && entry.identifier != nil && !entry.showsFields {
            body(entry.source, entry.itemTime, entry.step)
        }
    }

    /// Returns the current frame of a source.
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

    /// Chooses which field is displayed.
    private func chooseField(_ entry: Entry, report: inout RenderReport) {
        guard entry.showsFields, entry.itemTime.isNumeric, entry.displayTime.isNumeric else {
            return
        }
        let age = (entry.itemTime - entry.displayTime).seconds
        let field: Deinterlacer.Field = age < entry.fieldDuration - 1e-6 ? .first : .second
        if field != entry.field { report.hasNewField = true }
        entry.field = field
    }

    /// Records the current frame as the one that precedes a new frame.
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
            if entry.identifier == nil { readinessCount += 1 }
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
