// SPDX-License-Identifier: Apache-2.0

import Observation
import PlayheadMetadata
import PlayheadUI

// The code of Documentation/Observing.md; a test compares the two.

private struct ObservedProgram {
    // document begins
    struct Watch {
        static func main() async {
            let item = PlayerItem(asset: URLAsset(CommandLine.arguments[1]))
            let events = item.events
            let player = Player(playerItem: item)

            let rate = player.observe(\.rate, options: [.initial, .old]) { change in
                print("rate \(change.newValue), before \(change.oldValue ?? 0)")
            }
            let clock = player.addPeriodicTimeObserver(
                forInterval: MediaTime(value: 1, timescale: 1), on: .background
            ) { time in
                print("\(time.seconds) s")
            }
            player.play()

            playing: for await event in events {
                switch event {
                case .didPlayToEndTime: break playing
                case .failedToPlayToEndTime(let error):
                    print(error)
                    break playing
                case .timeJumped, .playbackStalled, .newAccessLogEntry, .newErrorLogEntry:
                    continue
                }
            }
            rate.cancel()
            clock.cancel()
            player.pause()
        }
    }
    // document ends
}

func observeSize(of item: PlayerItem) -> ObservationToken {
    // document begins
    let size = item.observe(\.presentationSize) { change in
        print(change.newValue)
    }
    // document ends
    return size
}

func followStatus(of item: PlayerItem) async {
    // document begins
    for await status in item.values(of: \.status) {
        if case .failed(let error) = status { print(error) }
    }
    // document ends
}

private struct ObservedOnMain {
    // document begins
    @MainActor func updateStatus(of player: Player) {
        withObservationTracking {
            print(player.timeControlStatus, player.volume)
        } onChange: {
            Task { @MainActor in updateStatus(of: player) }
        }
    }
    // document ends

    // document begins
    /// Stops the main loop when the item has played to its end.
    func stopLoop(atEndOf item: PlayerItem) -> ObservationToken {
        item.observe(\.hasPlayedToEnd, on: .main) { change in
            MainActor.assumeIsolated {
                if change.newValue { MainLoop.shared.stop() }
            }
        }
    }
    // document ends
}

func observeTime(of player: Player) -> ObservationToken {
    // document begins
    let cue = player.addBoundaryTimeObserver(
        forTimes: [MediaTime(value: 10, timescale: 1)], on: .background
    ) {
        print("ten seconds")
    }
    // document ends
    return cue
}

func observeWaiting(of player: Player, _ item: PlayerItem) -> [ObservationToken] {
    // document begins
    let waiting = player.observe(\.reasonForWaitingToPlay, options: .initial) { change in
        print(change.newValue == .toMinimizeStalls ? "buffering" : "")
    }
    let loaded = item.observe(\.loadedTimeRanges) { change in
        print(change.newValue.last?.end.seconds ?? 0)
    }
    // document ends
    return [waiting, loaded]
}

func readLogs(of item: PlayerItem) {
    // document begins
    if let event = item.accessLog?.events.last {
        print(event.uri, event.numberOfBytesTransferred, event.observedBitrate)
    }
    for event in item.errorLog?.events ?? [] {
        print(event.uri, event.errorStatusCode, event.error)
    }
    // document ends
}

private struct TitlePrinter {
    // document begins
    /// Prints the titles of an internet radio programme, and of ID3 in a stream.
    func printTitles(of item: PlayerItem) -> Task<Void, Never> {
        let output = PlayerItemMetadataOutput(identifiers: ["icy/StreamTitle", "org.id3/TIT2"])
        item.add(output)
        let groups = output.groups
        return Task {
            for await group in groups {
                print(group.timeRange.start.seconds, group.items[0].stringValue ?? "")
            }
        }
    }
    // document ends
}

private struct DateRangePrinter {
    // document begins
    final class Adverts: PlayerItemMetadataCollectorPushDelegate {
        func metadataCollector(
            _ collector: PlayerItemMetadataCollector, didCollect groups: [DateRangeMetadataGroup],
            indexesOfNewGroups new: [Int], indexesOfModifiedGroups modified: [Int]
        ) {
            for index in new {
                print(groups[index].uniqueID, groups[index].timeRange.start.seconds)
            }
        }
    }
    // document ends
}
