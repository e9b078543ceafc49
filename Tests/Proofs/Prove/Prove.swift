// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Dispatch
import PlayheadUI

/// The program behind `Scripts/prove`: measures the project's claims, and fails if one does not
/// hold.
@main
struct Prove: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prove", abstract: "Measures what Playhead claims.",
        discussion: "EXIT STATUS: 0 the claim holds; 1 it falls short, or cannot be measured here.",
        subcommands: [
            // Media.
            CorpusProof.self, InspectProof.self, SurveyProof.self, HostileProof.self,
            ThumbnailsProof.self, CompositionEditsProof.self, CutsProof.self, JointsProof.self,
            ClipCountsProof.self, TimelineClips.self,
            CaptionCues.self,
            WritingProof.self, VideoCompositionProof.self, CompositionWindowProof.self,
            // Playback.
            PropertyProof.self, AnchorProof.self, ItemTimeProof.self, TwoPlayersProof.self,
            LoopsProof.self, TracksProof.self, SeekProof.self, SeekLawProof.self,
            SeekStormProof.self,
            StallsProof.self, LatencyProof.self, RatesProof.self, PullCostProof.self,
            // Audio.
            AudioLawProof.self, SynchronyProof.self, SoundSyncProof.self, UnderrunsProof.self,
            SoundCostProof.self,
            // Video.
            CadenceProof.self, PacingProof.self, SlotsProof.self, FilmsProof.self,
            ClipsProof.self, ColorProof.self, RenderCostProof.self, ContextsProof.self,
            // Effects.
            ConformanceProof.self, FusionProof.self, ReloadProof.self, RenderProof.self,
            AtlasProof.self, KeyerProof.self, EffectsProof.self,
            // The player.
            SessionProof.self, FirstPictureProof.self, WindowProof.self, CaptureProof.self,
        ])

    /// Runs with the player's memory settings, and on the process's first thread, which windows
    /// require; proofs that wait for tasks have a thread of their own.
    static func main() {
        ProcessHeap.returnMemoryWhenFreed()
        do {
            var command = try parseAsRoot()
            guard let waiting = command as? any AsyncParsableCommand else {
                try command.run()
                return
            }
            nonisolated(unsafe) var proof = waiting
            Task.detached {
                do {
                    try await proof.run()
                    exit()
                } catch {
                    exit(withError: error)
                }
            }
            dispatchMain()
        } catch {
            exit(withError: error)
        }
    }
}
