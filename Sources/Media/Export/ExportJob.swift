// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadTime
import PlayheadVideoCompositions
import PlayheadWriting

/// The properties of an export session at the time when the export began.
struct ExportJob: Sendable {
    let asset: Asset
    let preset: AssetExportPreset
    let path: String
    let fileType: MediaFileType
    var timeRange: MediaTimeRange?
    var metadata: [MetadataItem]?
    /// The chapters, in times of the file; nil for those of the asset.
    var chapters: [Chapter]?
    /// An object that ends reading early. Once it is cancelled, the file is completed with the
    /// samples that have been read so far.
    let ending: Cancellation
    var audioMix: AudioMix?
    var audioTrackIDs: [Int]?
    var fileLengthLimit: Int64?
    var renderSize: (width: Double, height: Double)?
    /// The composition that draws the video; nil to export the frames of one track.
    var videoComposition: VideoComposition?
    var compositionEngine: (any VideoCompositionEngine)?
    /// The drawing of the video composition's frames, which the session can cancel.
    let drawing: VideoCompositionDrawing
    var movesIndexToFront = false
    var replacesExistingFile = false
    var sourcePaths: [String] = []
}
