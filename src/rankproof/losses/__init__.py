"""Surrogate losses: definitions with their claims, one loss a file, fast kernels."""

from rankproof.claims import Claim, Claims
from rankproof.losses.approx_ndcg import ApproxNDCG
from rankproof.losses.base import LOSSES, Loss, LossResult, registered
from rankproof.losses.boosting import Boosting
from rankproof.losses.bregman import Bregman
from rankproof.losses.cosine import Cosine
from rankproof.losses.duchi import Duchi, net_weights
from rankproof.losses.kl import KL
from rankproof.losses.lambdas import LambdaLoss, LambdaRank
from rankproof.losses.lift import Lift
from rankproof.losses.listmle import ListMLE
from rankproof.losses.listnet import ListNet
from rankproof.losses.margins import MARGINS, Margin, margin
from rankproof.losses.order_preserving import OrderPreserving
from rankproof.losses.parse import loss
from rankproof.losses.pointwise import Ordinal, PointwiseLogistic
from rankproof.losses.preorder import Preorder
from rankproof.losses.q_family import QFamily
from rankproof.losses.query_ordinal import QueryOrdinal
from rankproof.losses.relative import Relative
from rankproof.losses.softmax import Softmax
from rankproof.losses.squared import CentredSquared, Squared
from rankproof.losses.xe_ndcg import XENDCG

__all__ = [
    "KL",
    "LOSSES",
    "MARGINS",
    "XENDCG",
    "ApproxNDCG",
    "Boosting",
    "Bregman",
    "CentredSquared",
    "Claim",
    "Claims",
    "Cosine",
    "Duchi",
    "LambdaLoss",
    "LambdaRank",
    "Lift",
    "ListMLE",
    "ListNet",
    "Loss",
    "LossResult",
    "Margin",
    "OrderPreserving",
    "Ordinal",
    "PointwiseLogistic",
    "Preorder",
    "QFamily",
    "QueryOrdinal",
    "Relative",
    "Softmax",
    "Squared",
    "loss",
    "margin",
    "net_weights",
    "registered",
]
