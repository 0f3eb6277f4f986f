// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { OracleEvents } from "./events/OracleEvents.sol";
import { ForwardPPSArgs, IAggregator } from "./Interfaces.sol";

/// @notice Takes price updates from its keepers and forwards them in batches to the aggregator.
/// @dev The proofs are carried but not checked: on this chain a keeper's word is enough.
contract PPSOracle is OracleEvents {
    struct UpdatePPSArgs {
        address[] strategies;
        bytes[][] proofsArray;
        uint256[] ppss;
        uint256[] timestamps;
    }

    error NotKeeper();

    IAggregator public immutable aggregator;
    address public immutable owner;
    mapping(address account => bool) public isKeeper;

    constructor(IAggregator aggregator_, address owner_) {
        aggregator = aggregator_;
        owner = owner_;
        isKeeper[owner_] = true;
    }

    function setKeeper(address account, bool allowed) external {
        if (msg.sender != owner) revert NotKeeper();
        isKeeper[account] = allowed;
    }

    /// @notice Updates several strategies; what the aggregator will not take comes back as an event, not as a revert.
    function updatePPS(UpdatePPSArgs calldata args) external {
        if (!isKeeper[msg.sender]) revert NotKeeper();
        for (uint256 i; i < args.strategies.length; ++i) {
            emit PPSValidated(args.strategies[i], args.ppss[i], args.timestamps[i], msg.sender);
        }
        ForwardPPSArgs memory forward = ForwardPPSArgs(args.strategies, args.ppss, args.timestamps, msg.sender);
        try aggregator.forwardPPS(forward) { }
        catch Error(string memory reason) {
            emit BatchForwardPPSFailed(reason);
        } catch (bytes memory lowLevelData) {
            emit BatchForwardPPSFailedLowLevel(lowLevelData);
        }
    }
}
